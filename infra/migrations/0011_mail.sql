-- What became of each mail, so that a job that runs twice sends once. Neither address nor text: those are nobody's business afterwards.
create table mail.sent (
  -- What the mail is about, and the id of what caused it.
  id text primary key,
  -- waiting: not taken yet, to be tried again; refused: never will be; lost: broken off twice, so that it may have been taken twice.
  state text not null check (state in ('sending', 'waiting', 'sent', 'refused', 'lost')),
  attempts integer not null default 1,
  -- How often whoever was sending it died meanwhile.
  broken_off integer not null default 0,
  -- Until then nobody else sends it.
  locked_until timestamptz,
  -- What took the mail said, such as the id it goes on under.
  answer text,
  at timestamptz not null default now()
);
create index on mail.sent (at);
