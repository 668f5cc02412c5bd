"""``sf smoke``: two optimizer steps of a person's own experiment on this machine.

The experiment is prepared, planned and started as any other, with three things replaced:
sizes (``shrink``), models (``standin``) and how many rows there are (``rows``).
"""
