-- The state of each mail, so that a job that runs twice sends once. Contains neither address nor text, because both
-- are personal data that is no longer needed.
create table mail.sent (
  -- The subject of the mail, and the id of its cause.
  id text primary key,
  -- waiting: not accepted yet, will be retried; refused: will never be accepted; lost: interrupted twice, so that it
  -- may have been accepted twice.
  state text not null check (state in ('sending', 'waiting', 'sent', 'refused', 'lost')),
  attempts integer not null default 1,
  -- The number of times that the sending process ended during the attempt.
  broken_off integer not null default 0,
  -- No other process sends the mail before this time.
  locked_until timestamptz,
  -- The response of the server that accepted the mail, such as its id for the mail.
  answer text,
  at timestamptz not null default now()
);
create index on mail.sent (at);
