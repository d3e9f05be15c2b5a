import { useController } from 'react-hook-form';
import {
  ARTICLE_LANGUAGES,
  ARTICLE_SLUG_MAX,
  ARTICLE_SUMMARY_MAX,
  ARTICLE_TAGS_MAX,
  ARTICLE_TITLE_MAX,
  findState,
  type PhotoView,
} from '@alpenglow/domain/contracts';
import {
  Button,
  CityOptions,
  Field,
  FieldPair,
  layout,
  LOCALE_NAMES,
  Select,
  StateOptions,
  TextArea,
  TextInput,
} from '@alpenglow/ui';
import { getFieldErrorText, getNewArticleSlug, parseTags, type ArticleValues } from './article-values.ts';
import { CoverField } from './cover-field.tsx';
import { useText } from '../text.ts';
import type { ArticleForm } from './use-attempt.ts';
import styles from './editor.module.css';

/** Tags that the editor offers as buttons. */
const SUGGESTED_TAGS = ['safety', 'etiquette', 'verification', 'privacy', 'cities', 'providers', 'clients'];

export interface ArticleFieldsProps {
  readonly form: ArticleForm;
  readonly values: ArticleValues;
  /** True if the slug is read-only. The slug of a saved article cannot change. */
  readonly isSlugFixed: boolean;
  readonly cover: PhotoView | null;
  readonly onUploadingChange: (isUploading: boolean) => void;
}

/** All form fields of an article except its body. */
export function ArticleFields({ form, values, isSlugFixed, cover, onUploadingChange }: ArticleFieldsProps) {
  const t = useText();
  const { register, control, setValue, clearErrors, formState } = form;
  const { field: slugField } = useController({ control, name: 'slug' });
  const errorOf = (field: keyof ArticleValues) =>
    getFieldErrorText(formState.errors[field]?.message, t('blog.missing'));
  const change = (field: keyof ArticleValues, value: string) => {
    clearErrors(field);
    setValue(field, value);
  };
  const tags = parseTags(values.tags);
  const charactersLeft = ARTICLE_SUMMARY_MAX - values.summary.length;
  const cities = findState(values.state)?.cities ?? [];
  const slug = isSlugFixed ? values.slug : getNewArticleSlug(values);
  return (
    <div className={styles['fields']}>
      <Field label={t('blog.language')} hint={t('blog.languageHint')} error={errorOf('language')}>
        <Select {...register('language')}>
          {ARTICLE_LANGUAGES.map((language) => (
            <option key={language} value={language} lang={language}>
              {LOCALE_NAMES[language]}
            </option>
          ))}
        </Select>
      </Field>
      <Field label={t('field.title')} error={errorOf('title')}>
        <TextInput
          required
          lang={values.language}
          maxLength={ARTICLE_TITLE_MAX}
          autoComplete="off"
          {...register('title')}
        />
      </Field>
      <Field
        label={t('blog.slug')}
        hint={isSlugFixed ? t('blog.slugFixed') : t('blog.slugHint', { slug: slug || '…' })}
        error={errorOf('slug')}
      >
        <TextInput
          {...slugField}
          maxLength={ARTICLE_SLUG_MAX}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          readOnly={isSlugFixed}
          value={slug}
        />
      </Field>
      <Field
        label={t('blog.summary')}
        hint={`${t('blog.summaryHint')} ${t('blog.charactersLeft', { left: charactersLeft })}`}
        error={errorOf('summary')}
      >
        <TextArea
          required
          lang={values.language}
          rows={3}
          maxLength={ARTICLE_SUMMARY_MAX}
          className={styles['summary']}
          {...register('summary')}
        />
      </Field>
      <FieldPair>
        <Field label={t('blog.state')} optional>
          <Select {...register('state', { onChange: () => change('city', '') })}>
            <option value="">{t('blog.noState')}</option>
            <StateOptions />
          </Select>
        </Field>
        <Field label={t('field.city')} error={errorOf('city') ?? errorOf('state')}>
          {/*
           * `disabled` is set on `Select` and not passed to `register`, because `register` removes disabled fields from
           * the values.
           */}
          <Select {...register('city')} disabled={cities.length === 0}>
            <option value="">{t(cities.length === 0 ? 'blog.stateFirst' : 'blog.chooseCity')}</option>
            <CityOptions state={values.state} />
          </Select>
        </Field>
      </FieldPair>
      <div className={layout['stack2']}>
        <Field
          label={t('blog.tags')}
          optional
          hint={t('blog.tagsHint', { max: ARTICLE_TAGS_MAX })}
          error={errorOf('tags')}
        >
          <TextInput autoComplete="off" autoCapitalize="none" {...register('tags')} />
        </Field>
        <div role="group" aria-label={t('blog.suggestedTags')} className={layout['row2']}>
          {SUGGESTED_TAGS.filter((tag) => !tags.includes(tag)).map((tag) => (
            <Button key={tag} size="small" onClick={() => change('tags', [...tags, tag].join(', '))}>
              + {tag}
            </Button>
          ))}
        </div>
      </div>
      <CoverField
        value={values.cover}
        currentCover={cover}
        error={errorOf('cover') ?? null}
        onChange={(url) => change('cover', url)}
        onUploadingChange={onUploadingChange}
      />
    </div>
  );
}
