-- Finds the words a mistyped one may mean. A trusted extension: who may create objects in the database may create it, without being a superuser.
do $$
begin
  create extension if not exists pg_trgm;
exception
  when insufficient_privilege or undefined_file or feature_not_supported then
    raise exception 'Search needs the Postgres extension pg_trgm, and it could not be created: %. Install it and let an administrator run, in this database: create extension pg_trgm', sqlerrm;
end
$$;

-- Its settings are known to a session only once it was used.
select similarity('', '');

-- Words of ads that share letters with one. The usual threshold would miss two letters swapped in the middle of a word.
create function rm.similar_words(asked text, most integer) returns table (key text, count integer)
language plpgsql stable
set pg_trgm.similarity_threshold = 0.2
as $$
begin
  return query
    select w.key, w.count from rm.ad_words w where w.key % asked order by similarity(w.key, asked) desc, w.count desc, w.key limit most;
end
$$;
