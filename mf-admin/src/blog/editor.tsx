import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { articlePath, type PhotoView } from '@alpenglow/domain/contracts';
import {
  Breadcrumbs,
  Button,
  ErrorBox,
  LinkButton,
  Page,
  PageHeading,
  TimeAgo,
  useApi,
  useLocale,
} from '@alpenglow/ui';
import { useText } from '../text.ts';
import { ArticleDialogs, type ArticleDialog } from './article-dialogs.tsx';
import { ArticleFields } from './article-fields.tsx';
import { REQUIRED_MESSAGE } from './article-values.ts';
import { BodyField } from './body-field.tsx';
import { coverQuery, type LoadedArticle } from './calls.ts';
import { ConflictDialog } from './conflict-dialog.tsx';
import { StatusBadge } from './status-badge.tsx';
import { save, useArticleEditor } from './use-article-editor.ts';
import styles from './editor.module.css';

export interface EditorProps {
  readonly adminId: string;
  /** Null: a new article. */
  readonly loaded: LoadedArticle | null;
}

/** Writes an article: what it says, and what becomes of it. */
export function Editor({ adminId, loaded }: EditorProps) {
  const t = useText();
  const locale = useLocale();
  const editor = useArticleEditor(adminId, loaded);
  const { values, errors, problem, base, isBusy, isDirty, restored } = editor;
  const [dialog, setDialog] = useState<ArticleDialog | null>(null);
  const [isUploading, setUploading] = useState(false);
  const article = base?.article ?? null;
  const status = article?.status ?? null;
  const cover = useCover(article);
  const title = article === null ? t('blog.new') : t('blog.edit');

  const onSave = () => {
    if (isBusy || isUploading) return;
    if (article === null) void editor.create();
    else if (editor.isValid()) {
      if (status === 'published') setDialog('correct');
      else void editor.write([save], t('blog.saved'));
    }
  };
  useSaveKey(onSave);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (problem !== null) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [problem]);
  /** Only what can be saved can be published. */
  const ask = (which: ArticleDialog) => {
    if (which === 'discard' || which === 'withdraw' || editor.isValid()) setDialog(which);
  };

  return (
    <Page>
      <Breadcrumbs
        items={[{ label: t('title'), to: '/admin' }, { label: t('blog.title'), to: '/admin/blog' }, { label: title }]}
      />
      <header className={styles['head']}>
        <PageHeading documentTitle={title}>{title}</PageHeading>
        {article !== null && (
          <div className={styles['facts']}>
            <StatusBadge status={article.status} />
            {article.publishAt !== null && (
              <span>
                {t('blog.publishesAt', {
                  time: new Date(article.publishAt).toLocaleString(locale, { dateStyle: 'long', timeStyle: 'short' }),
                })}
              </span>
            )}
            {article.publishedAt !== null && (
              <span>
                {t('blog.publishedAt', {
                  time: new Date(article.publishedAt).toLocaleDateString(locale, { dateStyle: 'long' }),
                })}
              </span>
            )}
            {status === 'published' && (
              <LinkButton to={articlePath(article.slug)} variant="quiet" size="small">
                {t('blog.view')}
              </LinkButton>
            )}
          </div>
        )}
      </header>
      {restored !== null && (
        <div role="status" className={styles['note']}>
          <p>
            <strong>{t('blog.restored')}</strong> · <TimeAgo at={new Date(restored.savedAt_ms).toISOString()} />
          </p>
          <Button size="small" onClick={editor.dropChanges}>
            {t('blog.dropChanges')}
          </Button>
        </div>
      )}
      <form
        ref={form}
        className={styles['form']}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          onSave();
        }}
      >
        <ArticleFields
          values={values}
          errors={errors}
          isSlugFixed={article !== null}
          cover={cover}
          onChange={editor.change}
          onUploading={setUploading}
        />
        <BodyField
          value={values.body}
          error={errors['body'] === REQUIRED_MESSAGE ? t('blog.missing') : errors['body']}
          onChange={(body) => editor.change({ body })}
        />
        {article !== null && article.corrections.length > 0 && (
          <section className={styles['corrections']}>
            <h2>{t('blog.corrections')}</h2>
            <ul role="list">
              {article.corrections.map(({ note, at }) => (
                <li key={at}>
                  <span className={styles['muted']}>
                    {new Date(at).toLocaleDateString(locale, { dateStyle: 'long' })}
                  </span>{' '}
                  {note}
                </li>
              ))}
            </ul>
          </section>
        )}
        {article !== null && (
          <div className={styles['buttons']}>
            <Actions
              status={article.status}
              isNeverPublished={article.publishedAt === null}
              isDisabled={isBusy || isUploading}
              onAsk={ask}
              onUnschedule={() => void editor.write([(calls, of) => calls.unschedule(of)], t('blog.unscheduled'))}
            />
          </div>
        )}
        <div className={styles['bar']} data-bottom-bar>
          {problem !== null && <ErrorBox message={problem} />}
          <div className={styles['buttons']}>
            <Button
              type="submit"
              variant="primary"
              busy={isBusy}
              disabled={isUploading || (article !== null && !isDirty)}
            >
              {status === 'published'
                ? t('blog.correct')
                : article === null || status === 'draft'
                  ? t('blog.saveDraft')
                  : t('blog.save')}
            </Button>
            <span className={styles['saved']} role="status">
              {isDirty
                ? t('blog.unsaved')
                : article !== null &&
                  t('blog.savedAt', {
                    time: new Date(article.updatedAt).toLocaleTimeString(locale, { timeStyle: 'short' }),
                  })}
            </span>
          </div>
        </div>
      </form>
      {article !== null && (
        <ArticleDialogs
          open={dialog}
          article={article}
          isDirty={isDirty}
          isBusy={isBusy}
          editor={editor}
          onClose={() => setDialog(null)}
        />
      )}
      <ConflictDialog conflict={editor.conflict} onTakeTheirs={editor.takeTheirs} onKeepMine={editor.keepMine} />
    </Page>
  );
}

/** The cover of an article as it stands now. The article itself is not asked for again under the writer’s hands; a cover that is in the making is. */
function useCover(article: LoadedArticle['article'] | null): PhotoView | null {
  const loaded = article?.cover ?? null;
  const { data: now } = useQuery(coverQuery(useApi(), article?.slug ?? '', loaded));
  return now && now.id === loaded?.id ? now : loaded;
}

interface ActionsProps {
  readonly status: LoadedArticle['article']['status'];
  readonly isNeverPublished: boolean;
  readonly isDisabled: boolean;
  readonly onAsk: (dialog: ArticleDialog) => void;
  readonly onUnschedule: () => void;
}

/** What can become of an article from here. */
function Actions({ status, isNeverPublished, isDisabled, onAsk, onUnschedule }: ActionsProps) {
  const t = useText();
  const button = (dialog: ArticleDialog, label: string, isDangerous = false) => (
    <Button
      key={dialog}
      variant={isDangerous ? 'danger' : 'secondary'}
      disabled={isDisabled}
      onClick={() => onAsk(dialog)}
    >
      {label}
    </Button>
  );
  if (status === 'published') return button('withdraw', t('blog.withdraw'), true);
  return (
    <>
      {button('publish', status === 'withdrawn' ? t('blog.publishAgain') : t('blog.publish'))}
      {button('schedule', status === 'scheduled' ? t('blog.reschedule') : t('blog.schedule'))}
      {status === 'scheduled' && (
        <Button disabled={isDisabled} onClick={onUnschedule}>
          {t('blog.unschedule')}
        </Button>
      )}
      {isNeverPublished && button('discard', t('blog.discard'), true)}
    </>
  );
}

/** Ctrl+S and ⌘S save the article, not the page. */
function useSaveKey(onSave: () => void): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
    event.preventDefault();
    // A choice that is asked for comes first.
    if (document.querySelector('dialog[open]') === null) onSave();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event);
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}
