import { articlePath } from '@alpenglow/domain/contracts';
import { Button, classNames, ErrorBox, layout, LinkButton, PageHeading, useLocale } from '@alpenglow/ui';
import { useText } from '../text.ts';
import type { LoadedArticle } from './api.ts';
import type { ArticleDialog } from './article-dialogs.tsx';
import { StatusBadge } from './status-badge.tsx';
import styles from './editor.module.css';

type Article = LoadedArticle['article'];

interface EditorHeaderProps {
  readonly title: string;
  /** Null for a new article. */
  readonly article: Article | null;
}

/** The heading of the editor, with the status and the dates of the article. */
export function EditorHeader({ title, article }: EditorHeaderProps) {
  const t = useText();
  const locale = useLocale();
  return (
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
            <span>{t('blog.publishedAt', { time: formatDate(article.publishedAt, locale) })}</span>
          )}
          {article.status === 'published' && (
            <LinkButton to={articlePath(article.slug)} variant="quiet" size="small">
              {t('blog.view')}
            </LinkButton>
          )}
        </div>
      )}
    </header>
  );
}

/** The corrections of an article that was published. */
export function Corrections({ corrections }: Pick<Article, 'corrections'>) {
  const t = useText();
  const locale = useLocale();
  return (
    <section className={styles['corrections']}>
      <h2>{t('blog.corrections')}</h2>
      <ul role="list">
        {corrections.map(({ note, at }) => (
          <li key={at}>
            <span className={layout['muted']}>{formatDate(at, locale)}</span> {note}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface SaveBarProps {
  readonly article: Article | null;
  readonly problem: string | null;
  readonly isBusy: boolean;
  readonly isUploading: boolean;
  readonly isDirty: boolean;
}

/** The bar with the button that saves the article, and whether there are unsaved changes. */
export function SaveBar({ article, problem, isBusy, isUploading, isDirty }: SaveBarProps) {
  const t = useText();
  const locale = useLocale();
  const status = article?.status ?? null;
  return (
    <div className={styles['bar']} data-bottom-bar>
      {problem !== null && <ErrorBox message={problem} />}
      <div className={classNames(layout['row3'], layout['centered'])}>
        <Button type="submit" variant="primary" busy={isBusy} disabled={isUploading || (article !== null && !isDirty)}>
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
  );
}

interface ActionsProps {
  readonly status: Article['status'];
  readonly isNeverPublished: boolean;
  readonly isDisabled: boolean;
  readonly onOpenDialog: (dialog: ArticleDialog) => void;
  readonly onUnschedule: () => void;
}

/** Buttons for the actions that the status of the article allows. */
export function Actions({ status, isNeverPublished, isDisabled, onOpenDialog, onUnschedule }: ActionsProps) {
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

const formatDate = (at: string, locale: string) => new Date(at).toLocaleDateString(locale, { dateStyle: 'long' });
