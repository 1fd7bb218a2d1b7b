"""What can be said of single items: intervals, prediction sets and flags."""
