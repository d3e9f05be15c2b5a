import { useEffect, useEffectEvent, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { articlePath, type PhotoView } from '@alpenglow/domain/contracts';
import {
  Breadcrumbs,
  Button,
  classNames,
  DraftNote,
  ErrorBox,
  layout,
  LinkButton,
  Page,
  PageHeading,
  useApi,
  useLocale,
} from '@alpenglow/ui';
import { useText } from '../text.ts';
import { ArticleDialogs, type ArticleDialog } from './article-dialogs.tsx';
import { ArticleFields } from './article-fields.tsx';
import { getFieldErrorText } from './article-values.ts';
import { BodyField } from './body-field.tsx';
import { coverQuery, type LoadedArticle } from './api.ts';
import { ConflictDialog } from './conflict-dialog.tsx';
import { StatusBadge } from './status-badge.tsx';
import { saveStep, useArticleEditor } from './use-article-editor.ts';
import styles from './editor.module.css';

export interface EditorProps {
  readonly adminId: string;
  /** The article to edit, or null for a new article. */
  readonly loaded: LoadedArticle | null;
}

/** The editor of an article, with its fields, its body and the actions on it. */
export function Editor({ adminId, loaded }: EditorProps) {
  const t = useText();
  const locale = useLocale();
  const formatDate = (at: string) => new Date(at).toLocaleDateString(locale, { dateStyle: 'long' });
  const editor = useArticleEditor(adminId, loaded);
  const { form, values, problem, base, isBusy, isDirty, restored } = editor;
  const [dialog, setDialog] = useState<ArticleDialog | null>(null);
  const [isUploading, setUploading] = useState(false);
  const article = base?.article ?? null;
  const status = article?.status ?? null;
  const cover = useCover(article);
  const title = article === null ? t('blog.new') : t('blog.edit');

  /**
   * Opens a dialog. Discarding and withdrawing are possible with invalid fields. All other actions need valid fields.
   */
  const openDialog = (which: ArticleDialog) => {
    if (which === 'discard' || which === 'withdraw') {
      editor.clearProblem();
      setDialog(which);
    } else editor.validate(() => setDialog(which));
  };
  const onSave = () => {
    if (isBusy || isUploading) return;
    if (article === null) editor.create();
    else if (status === 'published') openDialog('correct');
    else editor.validate(() => void editor.write([saveStep], t('blog.saved')));
  };
  useSaveShortcut(onSave);

  return (
    <Page>
      <Breadcrumbs
        items={[{ label: t('title'), to: '/admin' }, { label: t('nav.blog'), to: '/admin/blog' }, { label: title }]}
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
              <span>{t('blog.publishedAt', { time: formatDate(article.publishedAt) })}</span>
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
        <div className={styles['note']}>
          <DraftNote
            title={t('blog.restored')}
            savedAt_ms={restored.savedAt_ms}
            actions={
              <Button size="small" onClick={editor.dropChanges}>
                {t('blog.dropChanges')}
              </Button>
            }
          />
        </div>
      )}
      <form
        className={styles['form']}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          onSave();
        }}
      >
        <ArticleFields
          form={form}
          values={values}
          isSlugFixed={article !== null}
          cover={cover}
          onUploadingChange={setUploading}
        />
        <BodyField
          registration={form.register('body')}
          text={values.body}
          language={values.language}
          error={getFieldErrorText(form.formState.errors.body?.message, t('blog.missing'))}
        />
        {article !== null && article.corrections.length > 0 && (
          <section className={styles['corrections']}>
            <h2>{t('blog.corrections')}</h2>
            <ul role="list">
              {article.corrections.map(({ note, at }) => (
                <li key={at}>
                  <span className={layout['muted']}>{formatDate(at)}</span> {note}
                </li>
              ))}
            </ul>
          </section>
        )}
        {article !== null && (
          <div className={classNames(layout['row3'], layout['centered'])}>
            <Actions
              status={article.status}
              isNeverPublished={article.publishedAt === null}
              isDisabled={isBusy || isUploading}
              onOpenDialog={openDialog}
              onUnschedule={() =>
                void editor.write([(calls, loaded) => calls.unschedule(loaded)], t('blog.unscheduled'))
              }
            />
          </div>
        )}
        <div className={styles['bar']} data-bottom-bar>
          {problem !== null && <ErrorBox message={problem} />}
          <div className={classNames(layout['row3'], layout['centered'])}>
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
                  : t('save')}
            </Button>
            <span className={classNames(layout['hint'], layout['count'])} role="status">
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
          problem={problem}
          editor={editor}
          onClose={() => setDialog(null)}
        />
      )}
      <ConflictDialog
        conflict={editor.conflict}
        onTakeTheirs={() => {
          setDialog(null);
          editor.takeTheirs();
        }}
        onKeepMine={() => {
          setDialog(null);
          editor.keepMine();
        }}
      />
    </Page>
  );
}

/**
 * Returns the current cover picture of an article. While the server processes the picture, only the picture is polled,
 * because polling the whole article would replace the text that the admin is writing.
 */
function useCover(article: LoadedArticle['article'] | null): PhotoView | null {
  const loaded = article?.cover ?? null;
  const { data: current } = useQuery(coverQuery(useApi(), article?.slug ?? '', loaded));
  return current && current.id === loaded?.id ? current : loaded;
}

interface ActionsProps {
  readonly status: LoadedArticle['article']['status'];
  readonly isNeverPublished: boolean;
  readonly isDisabled: boolean;
  readonly onOpenDialog: (dialog: ArticleDialog) => void;
  readonly onUnschedule: () => void;
}

/** Buttons for the actions that the status of the article allows. */
function Actions({ status, isNeverPublished, isDisabled, onOpenDialog, onUnschedule }: ActionsProps) {
  const t = useText();
  const button = (dialog: ArticleDialog, label: string, isDangerous = false) => (
    <Button
      key={dialog}
      variant={isDangerous ? 'danger' : 'secondary'}
      disabled={isDisabled}
      onClick={() => onOpenDialog(dialog)}
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

/** Saves the article on Ctrl+S and ⌘S, in place of the browser's dialog for saving the page. */
function useSaveShortcut(onSave: () => void): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
    event.preventDefault();
    // While a dialog is open, the shortcut does nothing.
    if (document.querySelector('dialog[open]') === null) onSave();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event);
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}
