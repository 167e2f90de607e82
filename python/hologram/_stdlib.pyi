HASH: str
