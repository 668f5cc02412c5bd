"""Control: compares what is desired of jobs with what is observed, and acts."""
