import { useLayoutEffect, useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { blogKeys, browserStorage, isApiError, messageOf, useApi, useHost } from '@alpenglow/ui';
import { useText } from '../text.ts';
import {
  EMPTY,
  errorsIn,
  fieldsOf,
  isSame,
  slugOfNew,
  valuesOf,
  type ArticleValues,
  type FieldErrors,
} from './article-values.ts';
import { askBeforeLeaving } from './ask-before-leaving.ts';
import { blogCalls, type BlogCalls, type LoadedArticle } from './calls.ts';
import { createArticleDrafts, type ArticleDrafts } from './draft.ts';

/** One call of a write, on the article as it then stands. */
export type Step = (calls: BlogCalls, of: LoadedArticle, values: ArticleValues) => Promise<void>;

/** Somebody else has changed the article meanwhile. */
export interface Conflict {
  readonly theirs: LoadedArticle;
  readonly steps: readonly Step[];
  readonly done: string;
}

export const save: Step = (calls, of, values) => calls.revise(of, fieldsOf(values));

/** What an article's editor holds, and what can be done with it. `loaded` is what was there when it opened; null for a new article. */
export function useArticleEditor(adminId: string, loaded: LoadedArticle | null) {
  const t = useText();
  const api = useApi();
  const { navigate, notify } = useHost();
  const queryClient = useQueryClient();
  const calls = blogCalls(api);
  const [drafts] = useState(() =>
    createArticleDrafts({ storage: browserStorage(), viewer: adminId, slug: loaded?.article.slug ?? null }),
  );
  const [restored, setRestored] = useState(() => drafts.load());
  /** What the server has. A draft of an older state keeps that state's revision, so that a newer one is not written over unseen. */
  const [base, setBase] = useState(() => (loaded && restored ? { ...loaded, revision: restored.revision } : loaded));
  const [values, setValues] = useState(() => restored?.values ?? (loaded ? valuesOf(loaded.article) : EMPTY));
  const [errors, setErrors] = useState<FieldErrors>({});
  const [problem, setProblem] = useState<string | null>(null);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const [isBusy, setBusy] = useState(false);
  const isUnderWay = useRef(false);
  const newKey = useRef({ of: '', key: '' });

  const saved = base ? valuesOf(base.article) : EMPTY;
  const isDirty = !isSame(values, saved);
  useKept(drafts, values, base?.revision ?? null, isDirty);

  const change = (changes: Partial<ArticleValues>) => {
    setValues((before) => ({ ...before, ...changes }));
    setErrors((before) => Object.fromEntries(Object.entries(before).filter(([field]) => !(field in changes))));
  };
  const setTo = (to: LoadedArticle) => {
    setBase(to);
    setValues(valuesOf(to.article));
    setErrors({});
    setProblem(null);
    setRestored(null);
    drafts.clear();
  };

  /** Whether the fields are as the server takes them; what is wrong is said beside them. */
  function isValid(): boolean {
    const found = errorsIn(base ? { ...values, slug: '' } : values);
    setErrors(found);
    const isFine = Object.keys(found).length === 0;
    setProblem(isFine ? null : t('blog.lookAtFields'));
    return isFine;
  }

  /** Does one piece of work at a time; what goes wrong is shown. Answers whether it went well. */
  async function attempt(work: () => Promise<void>, onStale: (() => Promise<void>) | null = null): Promise<boolean> {
    if (isUnderWay.current) return false;
    isUnderWay.current = true;
    setBusy(true);
    setProblem(null);
    try {
      await work();
      return true;
    } catch (error) {
      if (isApiError(error) && error.code === 'STALE' && onStale)
        await onStale().catch((second: unknown) => setProblem(messageOf(second, t('blog.saveFailed'))));
      else {
        setProblem(messageOf(error, t('blog.saveFailed')));
        if (isApiError(error)) setErrors(error.fields);
      }
      return false;
    } finally {
      isUnderWay.current = false;
      setBusy(false);
    }
  }

  /** Writes step after step, each on what the one before has left, and says `done`. */
  async function run(from: LoadedArticle, steps: readonly Step[], done: string): Promise<boolean> {
    const sent = values;
    const { slug } = from.article;
    const work = async () => {
      let at = from;
      for (const step of steps) {
        await step(calls, at, sent);
        at = await calls.load(slug);
        // What was written stays known, though a later step may be refused.
        setBase(at);
      }
      const after = valuesOf(at.article);
      setValues((now) => (isSame(now, sent) ? after : now));
      setErrors({});
      setRestored(null);
      notify({ text: done, tone: 'success' });
      await queryClient.invalidateQueries({ queryKey: blogKeys.all });
    };
    return attempt(work, async () => setConflict({ theirs: await calls.load(slug), steps, done }));
  }

  /** Saves a new article; its own page goes on from there. */
  async function create(): Promise<void> {
    if (!isValid()) return;
    const fields = fieldsOf(values);
    const slug = slugOfNew(values);
    const what = JSON.stringify([slug, fields]);
    // The same once more is the same request; anything else is another.
    if (newKey.current.of !== what) newKey.current = { of: what, key: freshKey() };
    await attempt(async () => {
      const at = await calls.draft(slug, fields, newKey.current.key);
      drafts.clear();
      notify({ text: t('blog.savedDraft'), tone: 'success' });
      await queryClient.invalidateQueries({ queryKey: blogKeys.all });
      navigate(`/admin/blog/${at}`, { replace: true });
    });
  }

  return {
    values,
    errors,
    problem,
    base,
    isBusy,
    isDirty,
    restored,
    conflict,
    change,
    isValid,
    create,
    /** The steps on the article as it was loaded; answers whether they went well. */
    write: async (steps: readonly Step[], done: string) => base !== null && (await run(base, steps, done)),
    discard: async () => {
      if (!base) return;
      await attempt(
        async () => {
          await calls.discard(base);
          drafts.clear();
          notify({ text: t('blog.discarded'), tone: 'success' });
          navigate('/admin/blog', { replace: true });
          await queryClient.invalidateQueries({ queryKey: blogKeys.all });
        },
        async () => setConflict({ theirs: await calls.load(base.article.slug), steps: [], done: '' }),
      );
    },
    /** Back to what the server has. */
    dropChanges: () => {
      if (loaded) void attempt(async () => setTo(await calls.load(loaded.article.slug)));
      else {
        setValues(EMPTY);
        setErrors({});
        setRestored(null);
        drafts.clear();
      }
    },
    takeTheirs: () => {
      if (conflict) setTo(conflict.theirs);
      setConflict(null);
    },
    keepMine: () => {
      setConflict(null);
      if (!conflict) return;
      setBase(conflict.theirs);
      if (conflict.steps.length > 0) void run(conflict.theirs, conflict.steps, conflict.done);
    },
  };
}

/** Time and randomness; not `randomUUID`, which browsers have on secure origins alone. */
const freshKey = () => `${Date.now()}-${crypto.getRandomValues(new Uint32Array(2)).join('-')}`;

/**
 * Keeps what is not saved in this browser, with every change. Where that is refused, the browser asks before the page is left. A layout effect: what is seen is
 * kept. An effect may come later than a reload, and a cover that had just been sent was lost then.
 */
function useKept(drafts: ArticleDrafts, values: ArticleValues, revision: string | null, isDirty: boolean): void {
  useLayoutEffect(() => {
    if (isDirty) return drafts.save(values, revision) ? undefined : askBeforeLeaving();
    drafts.clear();
    return undefined;
  }, [drafts, values, revision, isDirty]);
}
