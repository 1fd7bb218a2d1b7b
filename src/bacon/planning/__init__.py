"""How many labels a claim takes, and where money is best spent, before they are bought."""
