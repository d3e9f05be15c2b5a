import {
  ARTICLE_SLUG_MAX,
  ARTICLE_SUMMARY_MAX,
  ARTICLE_TAGS_MAX,
  ARTICLE_TITLE_MAX,
  STATES,
  stateOf,
  type PhotoView,
} from '@alpenglow/domain/contracts';
import { Button, Field, Select, TextArea, TextInput } from '@alpenglow/ui';
import { REQUIRED_MESSAGE, slugOfNew, tagsOf, type ArticleValues, type FieldErrors } from './article-values.ts';
import { CoverField } from './cover-field.tsx';
import { useText } from '../text.ts';
import styles from './editor.module.css';

/** Tags the blog has begun with, to be chosen by a press. */
const SUGGESTED = ['safety', 'etiquette', 'verification', 'privacy', 'cities', 'providers', 'clients'];

export interface ArticleFieldsProps {
  readonly values: ArticleValues;
  readonly errors: FieldErrors;
  /** Once an article is saved, its address stays. */
  readonly isSlugFixed: boolean;
  readonly cover: PhotoView | null;
  readonly onChange: (changes: Partial<ArticleValues>) => void;
  readonly onUploading: (isUploading: boolean) => void;
}

/** All of an article but its text. */
export function ArticleFields({ values, errors, isSlugFixed, cover, onChange, onUploading }: ArticleFieldsProps) {
  const t = useText();
  const errorOf = (field: keyof ArticleValues) =>
    errors[field] === REQUIRED_MESSAGE ? t('blog.missing') : errors[field];
  const tags = tagsOf(values.tags);
  const cities = stateOf(values.state)?.cities ?? [];
  return (
    <div className={styles['fields']}>
      <Field label={t('blog.titleField')} error={errorOf('title')}>
        <TextInput
          required
          maxLength={ARTICLE_TITLE_MAX}
          autoComplete="off"
          value={values.title}
          onChange={({ target }) => onChange({ title: target.value })}
        />
      </Field>
      <Field
        label={t('blog.slug')}
        hint={isSlugFixed ? t('blog.slugFixed') : t('blog.slugHint', { slug: slugOfNew(values) || '…' })}
        error={errorOf('slug')}
      >
        <TextInput
          maxLength={ARTICLE_SLUG_MAX}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          readOnly={isSlugFixed}
          value={isSlugFixed ? values.slug : slugOfNew(values)}
          onChange={({ target }) => onChange({ slug: target.value })}
        />
      </Field>
      <Field
        label={t('blog.summary')}
        hint={`${t('blog.summaryHint')} ${t('blog.charactersLeft', { left: ARTICLE_SUMMARY_MAX - values.summary.length })}`}
        error={errorOf('summary')}
      >
        <TextArea
          required
          rows={3}
          maxLength={ARTICLE_SUMMARY_MAX}
          className={styles['summary']}
          value={values.summary}
          onChange={({ target }) => onChange({ summary: target.value })}
        />
      </Field>
      <div className={styles['pair']}>
        <Field label={t('blog.state')} optional>
          <Select value={values.state} onChange={({ target }) => onChange({ state: target.value, city: '' })}>
            <option value="">{t('blog.noState')}</option>
            {STATES.map(({ code, name }) => (
              <option key={code} value={code}>
                {name}
              </option>
            ))}
          </Select>
        </Field>
        <Field label={t('blog.city')} error={errorOf('city') ?? errorOf('state')}>
          <Select
            value={values.city}
            disabled={cities.length === 0}
            onChange={({ target }) => onChange({ city: target.value })}
          >
            <option value="">{t(cities.length === 0 ? 'blog.stateFirst' : 'blog.chooseCity')}</option>
            {cities.map((city) => (
              <option key={city} value={city}>
                {city}
              </option>
            ))}
          </Select>
        </Field>
      </div>
      <div className={styles['tags']}>
        <Field
          label={t('blog.tags')}
          optional
          hint={t('blog.tagsHint', { max: ARTICLE_TAGS_MAX })}
          error={errorOf('tags')}
        >
          <TextInput
            autoComplete="off"
            autoCapitalize="none"
            value={values.tags}
            onChange={({ target }) => onChange({ tags: target.value })}
          />
        </Field>
        <div role="group" aria-label={t('blog.suggestedTags')} className={styles['suggestions']}>
          {SUGGESTED.filter((tag) => !tags.includes(tag)).map((tag) => (
            <Button key={tag} size="small" onClick={() => onChange({ tags: [...tags, tag].join(', ') })}>
              + {tag}
            </Button>
          ))}
        </div>
      </div>
      <CoverField
        value={values.cover}
        known={cover}
        error={errorOf('cover') ?? null}
        onChange={(url) => onChange({ cover: url })}
        onBusy={onUploading}
      />
    </div>
  );
}
