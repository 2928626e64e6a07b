"""Integers that remember their origin go from process to process with it."""

from __future__ import annotations

import pickle

from mlvet.domains.written import Int, Origin


def test_an_integer_is_sent_with_its_origin() -> None:
    sent = pickle.loads(pickle.dumps(Int(9216, Origin("64*12*12"))))
    assert sent == 9216
    assert sent.origin.text == "64*12*12"
