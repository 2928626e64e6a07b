"""Texts: words, sentences, documents, and messages that are labelled as spam or not."""
import csv
import io
import re
import zipfile

from files import open_text


def words(text):
    """The words of a text in small letters, without numbers."""
    return [word for word in re.findall(r"[\w$'-]+", text.lower()) if not word.isdigit()]


def read_sentences(path):
    """The sentences of a text file."""
    with open_text(path) as file:
        parts = re.split(r"(?<=[.!?])\s+|\n\s*\n", file.read())
    return [" ".join(part.split()) for part in parts if part.strip()]


def read_documents(path, shortest_word=4):
    """The words of each line of a file, without short words; of a line with tabs only what comes after the last."""
    with open_text(path) as lines:
        documents = [[word for word in words(line.split("\t")[-1]) if len(word) >= shortest_word] for line in lines]
    return [document for document in documents if document]


def read_messages(path):
    """Messages as pairs (whether it is spam, text).

    Lines of a text file are a label, spam or ham, a tab and the message. Of a .zip file all tables (.csv) with the
    columns CONTENT and CLASS are read; archive.zip:NAME reads those with NAME in their names.
    """
    archive, ending, part = str(path).partition(".zip")
    if ending:
        return list(packed_messages(archive + ending, part.removeprefix(":")))
    with open_text(path) as lines:
        labelled = [line.rstrip("\n").split("\t", 1) for line in lines if "\t" in line]
    return [(label == "spam", text) for label, text in labelled]


def packed_messages(path, part):
    with zipfile.ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            if name.endswith(".csv") and part in name and "__MACOSX" not in name:
                table = io.TextIOWrapper(archive.open(name), encoding="utf-8-sig", errors="replace", newline="")
                for row in csv.DictReader(table):
                    yield row["CLASS"] == "1", row["CONTENT"]
