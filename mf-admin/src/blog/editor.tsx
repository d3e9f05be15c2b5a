import { useEffect, useEffectEvent, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { PhotoView } from '@alpenglow/domain/contracts';
import { Breadcrumbs, Button, classNames, DraftNote, layout, Page, useApi } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { ArticleDialogs, type ArticleDialog } from './article-dialogs.tsx';
import { ArticleFields } from './article-fields.tsx';
import { getFieldErrorText } from './article-values.ts';
import { BodyField } from './body-field.tsx';
import { coverQuery, type LoadedArticle } from './api.ts';
import { ConflictDialog } from './conflict-dialog.tsx';
import { Actions, Corrections, EditorHeader, SaveBar } from './editor-parts.tsx';
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
      <EditorHeader title={title} article={article} />
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
        {article !== null && article.corrections.length > 0 && <Corrections corrections={article.corrections} />}
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
        <SaveBar article={article} problem={problem} isBusy={isBusy} isUploading={isUploading} isDirty={isDirty} />
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
