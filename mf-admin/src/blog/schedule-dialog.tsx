import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { Field, FormDialog, getServerTime_ms, TextInput } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { getNextFullHour, getTimeZoneName, parseDateTimeInput, toDateTimeInput } from './date-time-input.ts';

export interface ScheduleDialogProps {
  /** Time for which the article is already scheduled. It is null for an unscheduled article. */
  readonly scheduledAt: string | null;
  readonly isBusy: boolean;
  /** The error message of the failed action, or null. */
  readonly problem: string | null;
  readonly onSelect: (at: string) => void;
  readonly onClose: () => void;
}

/** A dialog that requests the time at which an article is published. */
export function ScheduleDialog({ scheduledAt, isBusy, problem, onSelect, onClose }: ScheduleDialogProps) {
  const t = useText();
  const [initial] = useState(() => ({ time: toDateTimeInput(scheduledAt ?? getNextFullHour(getServerTime_ms())) }));
  const { register, handleSubmit, formState } = useForm({ defaultValues: initial });
  const validate = (time: string) => {
    const at = parseDateTimeInput(time);
    if (at === null) return t('blog.timeMissing');
    return isFuture(at) || t('blog.timePast');
  };
  const submit = handleSubmit(({ time }) => {
    const at = parseDateTimeInput(time);
    if (at !== null) onSelect(at);
  });
  return (
    <FormDialog
      title={t('blog.scheduleTitle')}
      confirmLabel={t('blog.scheduleNow')}
      busy={isBusy}
      problem={problem}
      onSubmit={(event) => void submit(event)}
      onCancel={onClose}
    >
      <Field
        label={t('dateAndTime')}
        hint={t('blog.timeZone', { zone: getTimeZoneName() })}
        error={formState.errors.time?.message}
      >
        <TextInput type="datetime-local" required {...register('time', { validate })} />
      </Field>
    </FormDialog>
  );
}

const isFuture = (at: string) => Date.parse(at) > getServerTime_ms();
