"""Predicates hold where they should, and their texts describe them."""

import math

import numpy as np
import pytest

from murtree import Column, Predicate
from murtree._table.possible_tests import distinct
from murtree._table.predicate_text import (
    Words,
    category_text,
    moment_text,
    printable,
    span_text,
)
from murtree._table.predicates import members_of, resolved

nan, inf = math.nan, math.inf


@pytest.mark.parametrize(
    ("predicate", "answers"),
    [
        (Predicate(0, 1.0), [True, True, False, False, False]),
        (Predicate(0, 1.0, missing=True), [True, True, False, False, True]),
        (Predicate(0, 2.0, 1.0, missing=False), [False, False, True, False, False]),
        (Predicate(0, members=(1, 2)), [False, True, True, False, False]),
        (Predicate(0, members=(1,), missing=True), [False, True, False, False, True]),
        (Predicate(0, missing=True), [False, False, False, False, True]),
    ],
)
def test_a_predicate_holds(predicate, answers):
    assert predicate.holds([-inf, 1.0, 2.0, inf, nan]).tolist() == answers


COLUMNS = [
    Column("age", has_missing=True),
    Column("colour", "category", ("blue", "it's", "red")),
    Column("size", "ordered", ("S", "M", "L")),
    Column("smokes", "boolean"),
    Column("joined", "datetime"),
    Column("a\nb\x1b[31m"),
    Column("new", is_binary=True, has_missing=True),
]


@pytest.mark.parametrize(
    ("predicate", "yes", "no"),
    [
        (Predicate(0, 41.5, missing=True), "age <= 41.5 or missing", "age > 41.5"),
        (Predicate(0, 41.5, missing=False), "age <= 41.5", "age > 41.5 or missing"),
        (
            Predicate(0, 2.0, 1.0, missing=False),
            "1 < age <= 2",
            "age <= 1 or > 2 or missing",
        ),
        (Predicate(0, missing=True), "age is missing", "age is not missing"),
        (Predicate(1, members=(2,), missing=True), "colour = red", "colour != red"),
        (
            Predicate(1, members=(0, 1), missing=False),
            'colour in {blue, "it\'s"}',
            'colour not in {blue, "it\'s"}',
        ),
        (Predicate(2, 1.5, missing=False), "size <= M", "size > M"),
        (Predicate(3, 0.5, missing=False), "smokes = no", "smokes = yes"),
        (
            Predicate(4, 86400.0, missing=False),
            "joined <= 1970-01-02",
            "joined > 1970-01-02",
        ),
        (
            Predicate(5, 0.5, missing=False),
            "a\\nb\\x1b[31m <= 0.5",
            "a\\nb\\x1b[31m > 0.5",
        ),
        (Predicate(6, 0.5, missing=True), "new = no or missing", "new = yes"),
        (Predicate(6, 0.0, missing=False), "new = no", "new = yes or missing"),
        (Predicate(6, 1.0, missing=False), "new <= 1", "new > 1 or missing"),
    ],
)
def test_texts_of_predicates(predicate, yes, no):
    words = Words(COLUMNS, [predicate])
    assert words.yes(predicate) == yes
    assert words.no(predicate) == no


def test_thresholds_have_enough_digits_to_differ():
    near = [Predicate(0, 1000000.0435), Predicate(0, 1000000.0436)]
    words = Words(COLUMNS, near)
    assert [words.yes(predicate)[-12:] for predicate in near] == [
        "1000000.0435",
        "1000000.0436",
    ]
    assert Words(COLUMNS, near, decimals=1).yes(near[0]) == "age <= 1000000.0"


def test_texts_of_dates():
    assert moment_text(1577836800.0) == "2020-01-01"
    assert moment_text(1577836801.5) == "2020-01-01 00:00:01.500000"
    assert moment_text(1e18) == "1e+18 s"
    assert span_text(3600.0, "time") == "01:00:00"
    assert span_text(-90000.5, "duration") == "-1 day 01:00:00.5"
    assert span_text(2 * 86400.0, "duration") == "2 days"


def test_texts_that_would_mislead_are_quoted():
    assert category_text("New York") == "New York"
    assert category_text("a, b}") == "'a, b}'"
    assert category_text("missing") == "'missing'"
    assert category_text("") == "''"
    assert printable("é\t") == "é\\t"


def test_equal_and_complementary_tests_are_made_once():
    members = [(0,), (1, 2), (0, 1, 2), (1,), (1, 3)]
    predicates = [Predicate(0, members=some) for some in members]
    assert distinct(predicates, np.array([0.0, 1.0, 2.0])) == [
        predicates[0],
        predicates[3],
    ]


def test_missing_values_absent_in_training_go_with_most_rows():
    assert resolved(Predicate(0, 1.0), left_is_heavier=True).missing is True
    assert resolved(Predicate(0, 1.0), left_is_heavier=False).missing is False
    known = Predicate(0, 1.0, missing=False)
    assert resolved(known, left_is_heavier=True) is known


def test_an_ordered_threshold_has_members():
    assert members_of(Predicate(2, 1.5, 0.5), COLUMNS[2]) == (1,)
    assert members_of(Predicate(2, 1.5, missing=True), COLUMNS[2]) == (0, 1)
    assert members_of(Predicate(1, members=(0,)), COLUMNS[1]) == (0,)
