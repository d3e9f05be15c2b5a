import { useEffect, useId, useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { IDENTITY_FILES_MAX } from '@alpenglow/domain/contracts';
import {
  Button,
  classNames,
  CloseIcon,
  ErrorBox,
  IconButton,
  isApiError,
  layout,
  messageOf,
  UploadProgress,
  useApi,
  useHost,
  useLeaveWarning,
  useLocale,
  useSend,
} from '@alpenglow/ui';
import { identityKey, requestIdentityCheck } from './api.ts';
import { findPictureError, formatSize, PICTURE_MAX_MB, PICTURE_TYPES, type PictureError } from './pictures.ts';
import { useText } from './text.ts';
import styles from './identity.module.css';

/**
 * The form in which a provider selects and sends one or two pictures for an identity verification. It shows the
 * progress of the upload.
 */
export function IdentityForm({ viewer }: { readonly viewer: string }) {
  const t = useText();
  const locale = useLocale();
  const labelId = useId();
  const hintId = useId();
  const input = useRef<HTMLInputElement>(null);
  const chooseButton = useRef<HTMLButtonElement>(null);
  const [pictures, setPictures] = useState<readonly File[]>([]);
  const [pictureError, setPictureError] = useState<PictureError | null>(null);
  const { send, cancel, progress } = useUpload(viewer, pictures);

  const add = (files: readonly File[]) => {
    const allPictures = [...pictures, ...files];
    const newError = findPictureError(allPictures);
    setPictureError(newError);
    send.reset();
    if (newError === null) setPictures(allPictures);
  };
  const remove = (index: number) => {
    setPictures(pictures.filter((_, at) => at !== index));
    setPictureError(null);
    send.reset();
    // The button that the user pressed no longer exists, so the focus moves to the button that selects files.
    chooseButton.current?.focus();
  };
  // The message of the server names the formats of photos of ads.
  const isNoPicture = isApiError(send.error) && ['NOT_AN_IMAGE', 'NO_PHOTO'].includes(send.error.code);
  const isCancelled = isApiError(send.error) && send.error.code === 'CANCELLED';

  return (
    <div role="group" aria-labelledby={labelId} aria-describedby={hintId} className={layout['stack2']}>
      <p id={labelId} className={styles['label']}>
        {t('identity.pictures')}
      </p>
      <p id={hintId} className={layout['hint']}>
        {t('identity.hint', { max: PICTURE_MAX_MB })}
      </p>
      {pictures.length > 0 && (
        <ul role="list" className={classNames(layout['stack1'], styles['pictures'])}>
          {pictures.map((picture, index) => (
            <li key={`${index} ${picture.name}`}>
              <span>
                {picture.name} <span className={layout['hint']}>{formatSize(picture.size, locale)}</span>
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
      {pictureError !== null && (
        <ErrorBox
          message={t(pictureError.text, {
            name: pictureError.name,
            max: pictureError.text === 'identity.tooMany' ? IDENTITY_FILES_MAX : PICTURE_MAX_MB,
          })}
        />
      )}
      {send.isError && !isCancelled && (
        <ErrorBox
          message={isNoPicture ? t('identity.notPictures') : messageOf(send.error, t('identity.sendFailed'))}
          {...(!isNoPicture && { onRetry: () => send.mutate() })}
        />
      )}
      {send.isPending && <UploadProgress share={progress} label={t('identity.progress')} />}
      <p role="status" className={layout['hint']}>
        {send.isPending && t(progress < 1 ? 'identity.sending' : 'identity.checking')}
      </p>
      <div className={classNames(layout['row2'], layout['centered'])}>
        <input
          ref={input}
          type="file"
          accept={PICTURE_TYPES}
          multiple
          hidden
          onChange={({ target }) => {
            add([...(target.files ?? [])]);
            // Clears the field, so that the same file can be selected again.
            target.value = '';
          }}
        />
        <Button ref={chooseButton} disabled={send.isPending} onClick={() => input.current?.click()}>
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

/** Uploads `pictures`. `progress` is the uploaded fraction from 0 to 1. Leaving the page cancels the upload. */
function useUpload(viewer: string, pictures: readonly File[]) {
  const t = useText();
  const api = useApi();
  const { notify } = useHost();
  const queryClient = useQueryClient();
  const [progress, setProgress] = useState(0);
  const abortController = useRef<AbortController | null>(null);
  const cancel = () => abortController.current?.abort();
  useEffect(() => () => abortController.current?.abort(), []);
  const send = useSend({
    mutationFn: () => {
      abortController.current = new AbortController();
      setProgress(0);
      return requestIdentityCheck(api, pictures, { onProgress: setProgress, signal: abortController.current.signal });
    },
    onSuccess: (response) => {
      queryClient.setQueryData(identityKey(viewer), response);
      notify({ text: t('identity.sent'), tone: 'success' });
    },
    // Fetches the status again, because the server may have received the pictures before the error.
    onError: () => void queryClient.invalidateQueries({ queryKey: identityKey(viewer) }),
  });
  useLeaveWarning(send.isPending);
  return { send, cancel, progress };
}
