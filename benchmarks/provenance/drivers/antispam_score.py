"""dinever/antispam: the score of two messages by a table of counts, and the table trained further."""

import sys

from antispam import Detector

detector = Detector(sys.argv[1])
table = detector.model.token_table
suspect = detector.score("Cheap pills for sale, meeting money back today, reply now")
detector.train("Reply about the meeting today", False)
retrained = detector.score("Cheap pills for sale, meeting money back today, reply now")
print(repr(suspect), repr(retrained), detector.is_spam("meeting today"))
