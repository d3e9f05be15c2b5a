import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useQueryClient } from '@tanstack/react-query';
import type { NewArticleFields } from '@alpenglow/domain/contracts';
import { warnBeforeLeaving, blogKeys, browserStorage, createResolver, useApi, useHost } from '@alpenglow/ui';
import { useText } from '../text.ts';
import {
  EMPTY_VALUES,
  FIELDS,
  validateArticleValues,
  toArticleFields,
  hasSameValues,
  getNewArticleSlug,
  toArticleValues,
  type ArticleValues,
} from './article-values.ts';
import { adminBlogRequests, type AdminBlogRequests, type LoadedArticle } from './api.ts';
import { createArticleDrafts, type ArticleDrafts } from './draft.ts';
import { useAttempt, type ArticleForm } from './use-attempt.ts';

/** One step of a write action, e.g. saving before publishing. Each step sends one request that changes the article. */
export type WriteStep = (calls: AdminBlogRequests, loaded: LoadedArticle, values: ArticleValues) => Promise<void>;

/** An edit conflict: another admin has changed the article after this editor loaded it. */
export interface EditConflict {
  readonly theirs: LoadedArticle;
  readonly steps: readonly WriteStep[];
  readonly doneText: string;
  /** Called when all steps have succeeded. */
  readonly onSent: () => void;
}

export const saveStep: WriteStep = (calls, loaded, values) => calls.revise(loaded, toArticleFields(values));

/**
 * Manages the state of the article editor and returns its actions. `loaded` is the article at the time when
 * the editor opened, or null for a new article.
 */
export function useArticleEditor(adminId: string, loaded: LoadedArticle | null) {
  const t = useText();
  const api = useApi();
  const { navigate, notify } = useHost();
  const queryClient = useQueryClient();
  const calls = adminBlogRequests(api);
  const [drafts] = useState(() =>
    createArticleDrafts({ storage: browserStorage(), viewer: adminId, slug: loaded?.article.slug ?? null }),
  );
  const [restored, setRestored] = useState(() => drafts.load());
  /**
   * The version of the article on which the unsaved changes are based. A restored draft retains the revision for which
   * it was written. Saving the draft therefore reports a conflict if the server has a newer version.
   */
  const [base, setBase] = useState(() => (loaded && restored ? { ...loaded, revision: restored.revision } : loaded));
  const [initial] = useState(() => restored?.values ?? (loaded ? toArticleValues(loaded.article) : EMPTY_VALUES));
  const form = useForm<ArticleValues, unknown, NewArticleFields>({
    defaultValues: initial,
    // The slug of a saved article is not validated, because the request does not contain it.
    resolver: createResolver((typed) => validateArticleValues(base ? { ...typed, slug: '' } : typed)),
  });
  const values = useValues(form.control);
  const { problem, isBusy, validate, attempt, clearProblem } = useAttempt(form);
  const [conflict, setConflict] = useState<EditConflict | null>(null);
  const newKey = useRef({ content: '', key: '' });

  const saved = base ? toArticleValues(base.article) : EMPTY_VALUES;
  const isDirty = !hasSameValues(values, saved);
  useStoredDraft(drafts, values, base?.revision ?? null, isDirty);

  const resetTo = (article: LoadedArticle) => {
    setBase(article);
    form.reset(toArticleValues(article.article));
    clearProblem();
    setRestored(null);
    drafts.clear();
  };

  /**
   * Runs the steps in order, and then shows the message `done` and calls `onSent`. Each step receives the article that
   * the previous step has saved.
   */
  async function run(
    from: LoadedArticle,
    steps: readonly WriteStep[],
    done: string,
    onSent: () => void,
  ): Promise<boolean> {
    const sent = form.getValues();
    const { slug } = from.article;
    const task = async () => {
      let current = from;
      for (const step of steps) {
        await step(calls, current, sent);
        current = await calls.load(slug);
        // The result of this step is stored immediately, because a later step may fail.
        setBase(current);
      }
      if (hasSameValues(form.getValues(), sent)) showValues(form, toArticleValues(current.article));
      // After a submit, the form validates at every change. This reset prevents that, so that errors appear only at the
      // next submit.
      form.reset(form.getValues(), { keepValues: true });
      setRestored(null);
      onSent();
      notify({ text: done, tone: 'success' });
      await queryClient.invalidateQueries({ queryKey: blogKeys.all });
    };
    return attempt(task, async () => setConflict({ theirs: await calls.load(slug), steps, doneText: done, onSent }));
  }

  /** Creates a draft and opens its page. */
  async function create(): Promise<void> {
    const values = form.getValues();
    const fields = toArticleFields(values);
    const slug = getNewArticleSlug(values);
    const content = JSON.stringify([slug, fields]);
    // A retry with the same content sends the same idempotency key, so that the server does not create a second draft.
    if (newKey.current.content !== content) newKey.current = { content, key: createKey() };
    await attempt(async () => {
      const createdSlug = await calls.draft(slug, fields, newKey.current.key);
      drafts.clear();
      notify({ text: t('blog.savedDraft'), tone: 'success' });
      await queryClient.invalidateQueries({ queryKey: blogKeys.all });
      navigate(`/admin/blog/${createdSlug}`, { replace: true });
    });
  }

  return {
    form,
    values,
    problem,
    base,
    isBusy,
    isDirty,
    restored,
    conflict,
    validate,
    /** Creates a draft if the fields are valid. */
    create: () => validate(() => void create()),
    /** Runs the steps on the article and returns whether all steps succeeded. */
    write: async (steps: readonly WriteStep[], done: string, onSent: () => void = () => undefined) =>
      base !== null && (await run(base, steps, done, onSent)),
    clearProblem,
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
        async () =>
          setConflict({
            theirs: await calls.load(base.article.slug),
            steps: [],
            doneText: '',
            onSent: () => undefined,
          }),
      );
    },
    /** Discards unsaved changes and restores the version on the server. */
    dropChanges: () => {
      if (loaded) void attempt(async () => resetTo(await calls.load(loaded.article.slug)));
      else {
        form.reset(EMPTY_VALUES);
        setRestored(null);
        drafts.clear();
      }
    },
    takeTheirs: () => {
      if (conflict) resetTo(conflict.theirs);
      setConflict(null);
    },
    keepMine: () => {
      setConflict(null);
      if (!conflict) return;
      setBase(conflict.theirs);
      const { theirs, steps, doneText, onSent } = conflict;
      if (steps.length > 0) void run(theirs, steps, doneText, onSent);
    },
  };
}

/**
 * Shows values in the form. Only fields with a different value are set, because setting a field moves its text cursor
 * to the end.
 */
function showValues(form: ArticleForm, after: ArticleValues): void {
  for (const field of FIELDS) if (form.getValues(field) !== after[field]) form.setValue(field, after[field]);
}

/** Returns the current values of the form. The returned object changes only if a value changes. */
function useValues(control: ArticleForm['control']): ArticleValues {
  const snapshot = JSON.stringify(useWatch({ control }));
  return useMemo(() => ({ ...EMPTY_VALUES, ...(JSON.parse(snapshot) as Partial<ArticleValues>) }), [snapshot]);
}

/** Creates a unique idempotency key. `randomUUID` is not used, because browsers offer it only on secure origins. */
const createKey = () => `${Date.now()}-${crypto.getRandomValues(new Uint32Array(2)).join('-')}`;

/**
 * Stores unsaved changes in this browser after each change. If the browser cannot store them, it requests a
 * confirmation before the admin leaves the page. This is a layout effect, because a normal effect can run too late
 * before a reload.
 */
function useStoredDraft(drafts: ArticleDrafts, values: ArticleValues, revision: string | null, isDirty: boolean): void {
  useLayoutEffect(() => {
    if (isDirty) return drafts.save(values, revision) ? undefined : warnBeforeLeaving();
    drafts.clear();
    return undefined;
  }, [drafts, values, revision, isDirty]);
}
