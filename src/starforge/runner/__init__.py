"""The job's side: start the processes of an attempt, watch them, ship what they write.

``python -m starforge.runner ATTEMPT_DIR``. Standard library only.
"""
