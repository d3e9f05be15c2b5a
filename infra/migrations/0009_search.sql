-- Finds the words that a mistyped word may mean. A trusted extension: users who may create objects in the database
-- may create it without being a superuser.
do $$
begin
  create extension if not exists pg_trgm;
exception
  when insufficient_privilege or undefined_file or feature_not_supported then
    raise exception 'Search needs the Postgres extension pg_trgm, and it could not be created: %. Install it and let an administrator run, in this database: create extension pg_trgm', sqlerrm;
end
$$;

-- A session knows the extension's settings only after its first use.
select similarity('', '');

-- Returns words of ads that share letters with a word. The usual threshold would miss two swapped letters in the
-- middle of a word.
create function rm.similar_words(asked text, most integer) returns table (key text, count integer)
language plpgsql stable
set pg_trgm.similarity_threshold = 0.2
as $$
begin
  return query
    select w.key, w.count from rm.ad_words w where w.key % asked order by similarity(w.key, asked) desc, w.count desc, w.key limit most;
end
$$;
