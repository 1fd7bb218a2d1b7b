"""Looking at any results file: what its columns are, what they say, what to run next."""
