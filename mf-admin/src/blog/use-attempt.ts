import { useRef, useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import type { NewArticleFields } from '@alpenglow/domain/contracts';
import { isApiError, messageOf, showFieldErrors } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { FIELDS, type ArticleValues } from './article-values.ts';

export type ArticleForm = UseFormReturn<ArticleValues, unknown, NewArticleFields>;

/**
 * Runs the tasks of the article editor. Owns the running task and the text about what went wrong. Only one task runs at
 * a time.
 */
export function useAttempt(form: ArticleForm) {
  const t = useText();
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const isRunning = useRef(false);

  /** Calls `onValid` if the fields are valid. Otherwise shows the errors next to the fields. */
  const validate = (onValid: () => void) =>
    void form.handleSubmit(
      () => {
        setProblem(null);
        onValid();
      },
      () => setProblem(t('blog.lookAtFields')),
    )();

  /**
   * Runs the task unless another task is running, shows the error of a failed task, and returns whether the task
   * succeeded. Calls `onStale` if another admin has changed the article in the meantime.
   */
  async function attempt(task: () => Promise<void>, onStale: (() => Promise<void>) | null = null): Promise<boolean> {
    if (isRunning.current) return false;
    isRunning.current = true;
    setBusy(true);
    setProblem(null);
    try {
      await task();
      return true;
    } catch (error) {
      if (isApiError(error) && error.code === 'STALE' && onStale)
        await onStale().catch((second: unknown) => setProblem(messageOf(second, t('saveFailed'))));
      else {
        showFieldErrors(error, FIELDS, form.setError, '');
        setProblem(messageOf(error, t('saveFailed')));
      }
      return false;
    } finally {
      isRunning.current = false;
      setBusy(false);
    }
  }

  return { problem, isBusy, validate, attempt, clearProblem: () => setProblem(null) };
}
