import { useState } from 'react';
import { CORRECTION_NOTE_MAX, type AdminArticleView } from '@alpenglow/domain/contracts';
import { Button, ConfirmDialog, Dialog, Field, TextInput } from '@alpenglow/ui';
import { WordsDialog } from '../panel/words-dialog.tsx';
import { useText } from '../text.ts';
import { fieldsOf } from './article-values.ts';
import { fromLocalInput, nextFullHour, timeZone, toLocalInput } from './local-time.ts';
import { save, type Step, type useArticleEditor } from './use-article-editor.ts';

/** What is asked before something is done that others see, or that is gone. */
export type ArticleDialog = 'publish' | 'schedule' | 'correct' | 'withdraw' | 'discard';

export interface ArticleDialogsProps {
  readonly open: ArticleDialog | null;
  readonly article: AdminArticleView;
  readonly isDirty: boolean;
  readonly isBusy: boolean;
  readonly editor: Pick<ReturnType<typeof useArticleEditor>, 'write' | 'discard'>;
  readonly onClose: () => void;
}

export function ArticleDialogs({ open, article, isDirty, isBusy, editor, onClose }: ArticleDialogsProps) {
  const t = useText();
  /** What was written is saved on the way. */
  const withSave = (step: Step): readonly Step[] => (isDirty ? [save, step] : [step]);
  const write = async (steps: readonly Step[], done: string) => {
    // Closed before the answer: what goes wrong is said on the page behind.
    onClose();
    await editor.write(steps, done);
  };
  switch (open) {
    case null:
      return null;
    case 'publish':
      return (
        <ConfirmDialog
          open
          title={t('blog.publishTitle')}
          confirmLabel={t('blog.publishNow')}
          cancelLabel={t('common.cancel')}
          busy={isBusy}
          onCancel={onClose}
          onConfirm={() =>
            void write(
              withSave((calls, of) => calls.publish(of, null)),
              t('blog.published'),
            )
          }
        >
          <p>{t('blog.publishText')}</p>
        </ConfirmDialog>
      );
    case 'schedule':
      return (
        <ScheduleDialog
          start={article.publishAt}
          onClose={onClose}
          onChosen={(at) =>
            void write(
              withSave((calls, of) => calls.publish(of, at)),
              t('blog.scheduled'),
            )
          }
        />
      );
    case 'correct':
      return (
        <WordsDialog
          title={t('blog.correctTitle')}
          label={t('blog.note')}
          hint={t('blog.noteHint')}
          maxLength={CORRECTION_NOTE_MAX}
          missingText={t('blog.missing')}
          confirmLabel={t('blog.correctNow')}
          onClose={onClose}
          onConfirm={(note) =>
            void write([(calls, of, values) => calls.correct(of, fieldsOf(values), note)], t('blog.correctedDone'))
          }
        >
          <p>{t('blog.correctText')}</p>
        </WordsDialog>
      );
    case 'withdraw':
      return (
        <WordsDialog
          title={t('blog.withdrawTitle')}
          label={t('blog.reason')}
          hint={t('blog.reasonHint')}
          maxLength={CORRECTION_NOTE_MAX}
          missingText={null}
          confirmLabel={t('blog.withdrawNow')}
          isDangerous
          onClose={onClose}
          onConfirm={(reason) => void write([(calls, of) => calls.withdraw(of, reason)], t('blog.withdrawn'))}
        >
          <p>{isDirty ? `${t('blog.withdrawText')} ${t('blog.withdrawDirty')}` : t('blog.withdrawText')}</p>
        </WordsDialog>
      );
    case 'discard':
      return (
        <ConfirmDialog
          open
          danger
          title={t('blog.discardTitle')}
          confirmLabel={t('blog.discardNow')}
          cancelLabel={t('common.cancel')}
          busy={isBusy}
          onCancel={onClose}
          onConfirm={() => {
            onClose();
            void editor.discard();
          }}
        >
          <p>{t('blog.discardText')}</p>
        </ConfirmDialog>
      );
  }
}

interface ScheduleDialogProps {
  /** The time that is planned already. */
  readonly start: string | null;
  readonly onChosen: (at: string) => void;
  readonly onClose: () => void;
}

function ScheduleDialog({ start, onChosen, onClose }: ScheduleDialogProps) {
  const t = useText();
  const [local, setLocal] = useState(() => toLocalInput(start ?? nextFullHour(Date.now())));
  const [error, setError] = useState<string | null>(null);
  const choose = () => {
    const at = fromLocalInput(local);
    if (at === null) setError(t('blog.timeMissing'));
    else if (Date.parse(at) <= Date.now()) setError(t('blog.timePast'));
    else onChosen(at);
  };
  return (
    <Dialog
      open
      title={t('blog.scheduleTitle')}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button variant="primary" onClick={choose}>
            {t('blog.scheduleNow')}
          </Button>
        </>
      }
    >
      <Field label={t('blog.time')} hint={t('blog.timeZone', { zone: timeZone() })} error={error}>
        <TextInput type="datetime-local" required value={local} onChange={({ target }) => setLocal(target.value)} />
      </Field>
    </Dialog>
  );
}
