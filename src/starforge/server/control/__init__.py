"""server/control"""
