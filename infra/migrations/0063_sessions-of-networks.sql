-- Finds the accounts of a network, whose jobs take turns together.
create index on auth.sessions (network_hash) where network_hash <> '';
