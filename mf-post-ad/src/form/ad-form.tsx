import { useLayoutEffect, useRef, useState, useSyncExternalStore, type ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { useForm, useWatch, type Control, type FieldErrors, type UseFormRegister } from 'react-hook-form';
import {
  BODY_MAX,
  CATEGORIES,
  DESCRIPTION_MAX,
  NAME_MAX,
  PRICE_MAX,
  SOCIAL_NETWORK_NAMES,
  SOCIAL_NETWORKS,
  findState,
  TITLE_MAX,
  type NewAdFields,
} from '@alpenglow/domain/contracts';
import {
  Button,
  CityOptions,
  classNames,
  ErrorBox,
  Field,
  FieldPair,
  isApiError,
  messageOf,
  Select,
  serverText,
  StateOptions,
  TextArea,
  TextInput,
  useLeaveWarning,
  useSubmit,
} from '@alpenglow/ui';
import { isPending, isShown } from '../media/media-item.ts';
import { MediaSection } from '../media/media-section.tsx';
import { getMediaUrls, type MediaQueue, type MediaUrls } from '../media/media-queue.ts';
import type { MediaState } from '../media/media-state.ts';
import { RichText, useText } from '../text.ts';
import { Completeness } from './completeness.tsx';
import type { DraftContent } from './draft.ts';
import { getFieldErrorText, hasMissingFields, resolveForm, type FormValues } from './form-values.ts';
import { Preview } from './preview.tsx';
import { Section } from './section.tsx';
import styles from './ad-form.module.css';

export interface AdFormProps {
  readonly mode: 'post' | 'edit';
  readonly initial: FormValues;
  readonly queue: MediaQueue;
  /** Sends the ad with the URLs of its uploaded photos and video. The form shows an error that this function throws. */
  readonly onSubmit: (fields: NewAdFields, media: MediaUrls) => Promise<void>;
  /**
   * Called on every change of the form to store a draft. Returns true if the draft was stored. If the draft could not
   * be stored, the browser asks for confirmation before the visitor leaves the page.
   */
  readonly onChange: (content: DraftContent) => boolean;
  readonly failed: string;
  readonly waysOn?: ReactNode;
  /** Called by the button that leaves the form. Without it, the form has no such button. */
  readonly onCancel?: () => void;
  /** The age of the provider in years, which the ad shows. Null if it is not known. */
  readonly age: number | null;
}

/** The input is longer than a phone number, because the rules of the field remove invisible characters. */
const PHONE_INPUT_MAX = 60;

/** The form with which providers post or edit an ad. */
export function AdForm({ mode, initial, queue, onSubmit, onChange, failed, waysOn, onCancel, age }: AdFormProps) {
  const t = useText();
  const { register, control, handleSubmit, getValues, setValue, setError, formState } = useForm<
    FormValues,
    unknown,
    NewAdFields
  >({ defaultValues: initial, resolver: resolveForm });
  const { errors, isSubmitting } = formState;
  const [problem, setProblem] = useState<string | null>(null);
  const media = useSyncExternalStore(queue.subscribe, queue.state);
  const isStored = useChangeReports(control, initial, media, onChange);
  useLeaveWarning(!isStored || media.photos.some(isPending) || (media.video !== null && isPending(media.video)));

  const submit = handleSubmit(
    async (fields) => {
      setProblem(null);
      await queue.finish();
      try {
        await onSubmit(fields, queue.urls());
      } catch (error) {
        // oxlint-disable-next-line no-console -- the error box refers users to the console
        console.error(error);
        setProblem(messageOf(error, failed));
        if (isApiError(error)) {
          const fieldErrors = Object.entries(error.fields).filter(
            ([field]) => (field.split('.')[0] ?? field) in initial,
          );
          fieldErrors.forEach(([field, message], index) =>
            setError(field as keyof FormValues, { message }, { shouldFocus: index === 0 }),
          );
        }
      }
    },
    (invalid) => {
      // oxlint-disable-next-line no-console -- the error box refers users to the console
      console.info('The form is not complete:', invalid);
      const first = hasMissingFields(getValues()) ? undefined : firstMessage(invalid);
      setProblem(first === undefined ? t('requiredFields') : serverText(first));
    },
  );
  const errorOf = (field: Parameters<typeof getFieldErrorText>[0]) => getFieldErrorText(field, errors[field]?.message);

  return (
    <form className={styles['form']} noValidate onSubmit={useSubmit(submit)}>
      <Section title={t('aboutYou')}>
        <Field label={t('name')} hint={t('nameHint')} error={errorOf('name')}>
          <TextInput required maxLength={NAME_MAX} autoComplete="nickname" {...register('name')} />
        </Field>
        {age !== null && (
          <p className={styles['age']}>
            <RichText id="ageShown" values={{ age }} components={{ profile: <Link to="/provider-profile" /> }} />
          </p>
        )}
        <Field label={t('title')} hint={t('titleHint')} error={errorOf('title')}>
          <TextInput required maxLength={TITLE_MAX} autoComplete="off" {...register('title')} />
        </Field>
        <Field label={t('category')} error={errorOf('category')}>
          <Select required {...register('category')}>
            <option value="">{t('chooseCategory')}</option>
            {CATEGORIES.map((category) => (
              <option key={category} value={category}>
                {t(`categories.${category}`)}
              </option>
            ))}
          </Select>
        </Field>
        <Field label={t('price')} hint={t('priceHint')} optional error={errorOf('price')}>
          <TextInput maxLength={PRICE_MAX} autoComplete="off" {...register('price')} />
        </Field>
      </Section>

      <Section title={t('where')}>
        <PlaceFields
          control={control}
          register={register}
          stateError={errorOf('state')}
          cityError={errorOf('city')}
          onStateChange={() => setValue('city', '')}
        />
      </Section>

      <MediaSection queue={queue} />

      <Section title={t('inYourWords')}>
        <DescriptionField control={control} register={register} error={errorOf('description')} />
        <Field label={t('physique')} hint={t('physiqueHint')} optional error={errorOf('body')}>
          <TextArea rows={3} maxLength={BODY_MAX} {...register('body')} />
        </Field>
      </Section>

      <Section title={t('reach')} lead={t('reachText')}>
        <Field label={t('phone')} optional error={errorOf('phone')}>
          <TextInput type="tel" autoComplete="tel" maxLength={PHONE_INPUT_MAX} {...register('phone')} />
        </Field>
        <SocialFields register={register} errors={errors} />
      </Section>

      <Completeness control={control} initial={initial} photos={media.photos.filter(isShown).length} />

      <div className={classNames(styles['submit'], mode === 'edit' && styles['inReach'])}>
        {problem !== null && (
          <ErrorBox message={problem} actions={waysOn}>
            {/* The console says nothing more about an error with a way to continue. */}
            {!waysOn && t('consoleHint')}
          </ErrorBox>
        )}
        <div className={styles['buttons']}>
          <Button type="submit" variant="primary" busy={isSubmitting}>
            {mode === 'post' ? t(isSubmitting ? 'posting' : 'post') : t(isSubmitting ? 'updating' : 'update')}
          </Button>
          <Preview control={control} initial={initial} photos={media.photos} age={age} />
          {onCancel && <Button onClick={onCancel}>{t('common.cancel')}</Button>}
        </div>
      </div>
    </form>
  );
}

interface PartProps {
  readonly control: Control<FormValues, unknown, NewAdFields>;
  readonly register: UseFormRegister<FormValues>;
}

interface PlaceProps extends PartProps {
  readonly stateError: string | undefined;
  readonly cityError: string | undefined;
  readonly onStateChange: () => void;
}

/** The fields for state and city. The city can be selected after the state. */
function PlaceFields({ control, register, stateError, cityError, onStateChange }: PlaceProps) {
  const t = useText();
  const state = useWatch({ control, name: 'state' });
  const cities = findState(state)?.cities ?? [];
  return (
    <FieldPair>
      <Field label={t('state')} error={stateError}>
        <Select required {...register('state', { onChange: onStateChange })}>
          <option value="">{t('chooseState')}</option>
          <StateOptions />
        </Select>
      </Field>
      <Field label={t('city')} error={cityError}>
        {/* Does not use the `disabled` option of `register`, because it would remove the city from the form values. */}
        <Select required {...register('city')} disabled={cities.length === 0}>
          <option value="">{t(cities.length === 0 ? 'stateFirst' : 'chooseCity')}</option>
          <CityOptions state={state} />
        </Select>
      </Field>
    </FieldPair>
  );
}

function DescriptionField({ control, register, error }: PartProps & { readonly error: string | undefined }) {
  const t = useText();
  const description = useWatch({ control, name: 'description' });
  return (
    <Field
      label={t('description')}
      hint={`${t('descriptionHint')} ${t('charactersLeft', { left: DESCRIPTION_MAX - description.length })}`}
      error={error}
    >
      <TextArea required rows={8} maxLength={DESCRIPTION_MAX} {...register('description')} />
    </Field>
  );
}

function SocialFields(props: { readonly register: PartProps['register']; readonly errors: FieldErrors<FormValues> }) {
  const { register, errors } = props;
  const t = useText();
  return (
    <fieldset className={styles['social']}>
      <legend>{t('socialMedia')}</legend>
      <FieldPair>
        {SOCIAL_NETWORKS.map((network) => (
          <Field
            key={network}
            label={network === 'website' ? t('website') : SOCIAL_NETWORK_NAMES[network]}
            optional
            error={errors.socialMedia?.[network]?.message}
          >
            <TextInput
              type={network === 'website' ? 'url' : 'text'}
              placeholder={network === 'website' ? 'https://' : '@'}
              maxLength={200}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              {...register(`socialMedia.${network}`)}
            />
          </Field>
        ))}
      </FieldPair>
    </fieldset>
  );
}

/**
 * Calls `report` for every change of the form, before the browser shows the change. Returns true if the last change was
 * stored as a draft.
 */
function useChangeReports(
  control: PartProps['control'],
  initial: FormValues,
  media: MediaState,
  report: AdFormProps['onChange'],
): boolean {
  const values = useWatch({ control });
  const { photos, video = null } = getMediaUrls(media);
  const snapshot = JSON.stringify({ values, photos, video } satisfies Record<keyof DraftContent, unknown>);
  const reported = useRef(snapshot);
  const [isStored, setStored] = useState(true);
  useLayoutEffect(() => {
    if (snapshot === reported.current) return;
    reported.current = snapshot;
    const content = JSON.parse(snapshot) as DraftContent;
    setStored(report({ ...content, values: { ...initial, ...content.values } }));
  }, [snapshot, initial, report]);
  return isStored;
}

function firstMessage(errors: FieldErrors<FormValues>): string | undefined {
  for (const error of Object.values(errors)) {
    if ('message' in error && typeof error.message === 'string') return error.message;
    const nested = Object.values(error).find(
      (part): part is { message: string } => typeof part === 'object' && part !== null && 'message' in part,
    );
    if (nested) return nested.message;
  }
  return undefined;
}
