import { useEffect, useId, useRef, useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { IDENTITY_FILES_MAX } from '@alpenglow/domain/contracts';
import {
  Button,
  CloseIcon,
  ErrorBox,
  IconButton,
  isApiError,
  messageOf,
  useApi,
  useHost,
  useLocale,
} from '@alpenglow/ui';
import { identityKey, requestIdentityCheck } from './calls.ts';
import { faultOf, PICTURE_MAX_MB, PICTURE_TYPES, type PictureFault } from './pictures.ts';
import { useText } from './text.ts';
import styles from './identity.module.css';

/** One or two pictures, chosen and sent with their progress shown. */
export function IdentityForm({ viewer }: { readonly viewer: string }) {
  const t = useText();
  const locale = useLocale();
  const labelId = useId();
  const hintId = useId();
  const input = useRef<HTMLInputElement>(null);
  const chooser = useRef<HTMLButtonElement>(null);
  const [pictures, setPictures] = useState<readonly File[]>([]);
  const [fault, setFault] = useState<PictureFault | null>(null);
  const { send, cancel, progress } = useSending(viewer, pictures);

  const add = (files: readonly File[]) => {
    const together = [...pictures, ...files];
    const found = faultOf(together);
    setFault(found);
    send.reset();
    if (found === null) setPictures(together);
  };
  const remove = (index: number) => {
    setPictures(pictures.filter((_, at) => at !== index));
    setFault(null);
    send.reset();
    // The button that was pressed is gone.
    chooser.current?.focus();
  };
  const isCancelled = isApiError(send.error) && send.error.code === 'CANCELLED';

  return (
    <div role="group" aria-labelledby={labelId} aria-describedby={hintId} className={styles['form']}>
      <p id={labelId} className={styles['label']}>
        {t('identity.pictures')}
      </p>
      <p id={hintId} className={styles['hint']}>
        {t('identity.hint', { max: PICTURE_MAX_MB })}
      </p>
      {pictures.length > 0 && (
        <ul role="list" className={styles['pictures']}>
          {pictures.map((picture, index) => (
            <li key={`${index} ${picture.name}`}>
              <span>
                {picture.name} <span className={styles['hint']}>{sizeText(picture.size, locale)}</span>
              </span>
              <IconButton
                label={t('identity.remove', { name: picture.name })}
                disabled={send.isPending}
                onClick={() => remove(index)}
              >
                <CloseIcon />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      {fault !== null && (
        <ErrorBox
          message={t(fault.text, {
            name: fault.name,
            max: fault.text === 'identity.tooMany' ? IDENTITY_FILES_MAX : PICTURE_MAX_MB,
          })}
        />
      )}
      {send.isError && !isCancelled && (
        <ErrorBox message={messageOf(send.error, t('identity.sendFailed'))} onRetry={() => send.mutate()} />
      )}
      {send.isPending && (
        <progress value={progress} max={1} aria-label={t('identity.progress')} className={styles['progress']} />
      )}
      <p role="status" className={styles['hint']}>
        {send.isPending && t(progress < 1 ? 'identity.sending' : 'identity.checking')}
      </p>
      <div className={styles['row']}>
        <input
          ref={input}
          type="file"
          accept={PICTURE_TYPES}
          multiple
          hidden
          onChange={({ target }) => {
            add([...(target.files ?? [])]);
            // The same file can be chosen again.
            target.value = '';
          }}
        />
        <Button ref={chooser} disabled={send.isPending} onClick={() => input.current?.click()}>
          {t('identity.choose')}
        </Button>
        <Button variant="primary" busy={send.isPending} disabled={pictures.length === 0} onClick={() => send.mutate()}>
          {t('identity.send')}
        </Button>
        {send.isPending && (
          <Button variant="quiet" onClick={cancel}>
            {t('common.cancel')}
          </Button>
        )}
      </div>
    </div>
  );
}

function sizeText(size_bytes: number, locale: string): string {
  const isSmall = size_bytes < 1_000_000;
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: isSmall ? 'kilobyte' : 'megabyte',
    maximumSignificantDigits: 2,
  }).format(size_bytes / (isSmall ? 1_000 : 1_000_000));
}

/** Sends the pictures; `progress` is from 0 to 1. Who leaves the page stops it. */
function useSending(viewer: string, pictures: readonly File[]) {
  const t = useText();
  const api = useApi();
  const { notify } = useHost();
  const queryClient = useQueryClient();
  const [progress, setProgress] = useState(0);
  const sender = useRef<AbortController | null>(null);
  const cancel = () => sender.current?.abort();
  useEffect(() => () => sender.current?.abort(), []);
  const send = useMutation({
    mutationFn: () => {
      sender.current = new AbortController();
      setProgress(0);
      return requestIdentityCheck(api, pictures, { onProgress: setProgress, signal: sender.current.signal });
    },
    onSuccess: (answer) => {
      queryClient.setQueryData(identityKey(viewer), answer);
      notify({ text: t('identity.sent'), tone: 'success' });
    },
    // The pictures may have arrived though no answer came.
    onError: () => void queryClient.invalidateQueries({ queryKey: identityKey(viewer) }),
  });
  return { send, cancel, progress };
}
