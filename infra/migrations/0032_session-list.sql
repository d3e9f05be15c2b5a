-- The data for the list of sessions, the idle timeout, and the confirmation of the password by staff.
alter table auth.sessions
  -- Identifies the session in the list and in live channel tickets. The token changes when it is refreshed.
  add column session_id uuid not null default gen_random_uuid() unique,
  add column last_used_at timestamptz not null default now(),
  -- The last time that the password was entered in this session.
  add column confirmed_at timestamptz not null default now(),
  -- Browser and system, for example `Firefox on Windows`. Empty if unknown.
  add column device text not null default '',
  -- A keyed hash of the network address. It can be compared, but the address cannot be read from it.
  add column network_hash text not null default '';
-- Sessions from before this migration count as confirmed when they were opened.
update auth.sessions set confirmed_at = created_at;

-- Tickets that open the live channel once, within a minute. Only their hashes are stored.
create table auth.live_tickets (
  ticket_hash bytea primary key,
  session_id uuid not null references auth.sessions (session_id) on delete cascade,
  expires_at timestamptz not null
);
create index on auth.live_tickets (session_id);
create index on auth.live_tickets (expires_at);
