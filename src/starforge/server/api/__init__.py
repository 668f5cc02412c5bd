"""server/api"""
