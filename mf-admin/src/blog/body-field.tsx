import { useId, useState } from 'react';
import type { UseFormRegisterReturn } from 'react-hook-form';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ARTICLE_BODY_MAX } from '@alpenglow/domain/contracts';
import {
  Button,
  Field,
  layout,
  QueryView,
  RichHtml,
  TextArea,
  useApi,
  useDebounced,
  useMediaQuery,
} from '@alpenglow/ui';
import { useText } from '../text.ts';
import { previewQuery } from './api.ts';
import styles from './body-field.module.css';

const PREVIEW_DELAY_ms = 400;
/** Media query for screens that have room for a text and its preview side by side. */
const WIDE = '(min-width: 80rem)';

export interface BodyFieldProps {
  readonly registration: UseFormRegisterReturn;
  readonly text: string;
  /** The language of the text (BCP 47). */
  readonly language: string;
  readonly error: string | undefined;
}

/**
 * The field for the Markdown text of an article, with a preview. On a wide screen, the preview is next to the text. On
 * a narrow screen, it replaces the text.
 */
export function BodyField({ registration, text, language, error }: BodyFieldProps) {
  const t = useText();
  const previewId = useId();
  const isWide = useMediaQuery(WIDE);
  const [isPreview, setPreview] = useState(false);
  const isWriting = isWide || !isPreview;
  return (
    <div className={styles['body']}>
      {!isWide && (
        <div role="group" aria-label={t('blog.body')} className={styles['tabs']}>
          <Button size="small" variant="quiet" aria-pressed={!isPreview} onClick={() => setPreview(false)}>
            {t('blog.write')}
          </Button>
          <Button size="small" variant="quiet" aria-pressed={isPreview} onClick={() => setPreview(true)}>
            {t('blog.preview')}
          </Button>
        </div>
      )}
      {isWriting && (
        <Field label={t('blog.body')} hint={t('blog.bodyHint')} error={error}>
          <TextArea
            required
            lang={language}
            rows={20}
            maxLength={ARTICLE_BODY_MAX}
            className={styles['text']}
            {...registration}
          />
        </Field>
      )}
      {(isWide || isPreview) && (
        <section aria-labelledby={previewId} className={styles['preview']}>
          <h2 id={previewId}>{t('blog.preview')}</h2>
          <Preview text={text} language={language} />
        </section>
      )}
    </div>
  );
}

function Preview({ text, language }: Pick<BodyFieldProps, 'text' | 'language'>) {
  const t = useText();
  const api = useApi();
  const debouncedText = useDebounced(text.trim(), PREVIEW_DELAY_ms);
  const preview = useQuery({
    ...previewQuery(api, debouncedText),
    enabled: debouncedText !== '',
    placeholderData: keepPreviousData,
  });
  if (debouncedText === '') return <p className={layout['muted']}>{t('blog.previewEmpty')}</p>;
  return (
    <QueryView query={preview} failedText={t('blog.previewFailed')} loadingHeight="8rem">
      {(html) => <RichHtml html={html} lang={language} />}
    </QueryView>
  );
}
