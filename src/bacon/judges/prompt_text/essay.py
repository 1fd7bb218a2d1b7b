"""Holistic quality of a student's essay, one digit from 1 to 6."""

from __future__ import annotations

__all__ = ["SYSTEM", "USER", "USER_WITHOUT_ASSIGNMENT"]

SYSTEM = """\
You grade essays written by school students. Judge the essay as a whole: position, reasons and
evidence, organisation, and command of language, taken together in one score.

Scale:
1 very poor
2 poor
3 below average
4 above average
5 good
6 excellent

Reply with the score alone: one of the digits 1, 2, 3, 4, 5, 6. Write no explanation and no other
character."""

USER = """\
The assignment that the student was given:
{assignment}
The student's essay:
{text}
Your score, one digit from 1 to 6:"""

USER_WITHOUT_ASSIGNMENT = """\
The student's essay:
{text}
Your score, one digit from 1 to 6:"""
