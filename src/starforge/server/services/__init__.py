"""server/services"""
