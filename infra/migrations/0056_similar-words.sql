-- Loads the library of `pg_trgm` into this session. Without it, only a superuser may create a function that sets a
-- parameter of the library.
select similarity('', '');

-- Returns words of `vocabulary` that share letters with a word. `vocabulary` is the table of the version of the read
-- model that the caller reads. Entries of title words begin with a dot, and the index of similar words omits them. The
-- usual threshold would miss two swapped letters in the middle of a word.
create function rm.similar_words(vocabulary regclass, asked text, most integer)
returns table (key text, count integer)
language plpgsql stable
set pg_trgm.similarity_threshold = 0.2
as $$
begin
  return query execute format(
    'select w.key, w.count from %s w where w.key %% $1 and w.key not like ''.%%''
     order by similarity(w.key, $1) desc, w.count desc, w.key limit $2',
    vocabulary)
    using asked, most;
end
$$;
