import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import {
  parsePhotoUrl,
  PHOTO_CONTENT_TYPES,
  UPLOAD_CONNECTION_WAITS_ms,
  UPLOAD_RETRY_WAITS_ms,
  type PhotoView,
} from '@alpenglow/domain/contracts';
import {
  Button,
  createUploads,
  ErrorBox,
  isPermanentError,
  ImageIcon,
  layout,
  messageOf,
  Picture,
  UploadProgress,
  useApi,
  useHost,
  useLeaveWarning,
  waitForConnection,
  withRetries,
} from '@alpenglow/ui';
import { useText } from '../text.ts';
import { getPollDelay_ms } from './api.ts';
import styles from './cover-field.module.css';

export interface CoverFieldProps {
  /** URL of the cover picture, or an empty string for an article without a cover. */
  readonly value: string;
  /** The cover that the server has stored for this article. */
  readonly currentCover: PhotoView | null;
  readonly error: string | null;
  readonly onChange: (url: string) => void;
  /** Called when an upload starts or ends. The article cannot be saved during an upload. */
  readonly onUploadingChange: (isBusy: boolean) => void;
}

/** The field for the cover of an article. It selects, uploads, shows and removes a picture. */
export function CoverField({ value, currentCover, error, onChange, onUploadingChange }: CoverFieldProps) {
  const t = useText();
  const labelId = useId();
  const input = useRef<HTMLInputElement>(null);
  const upload = useUpload(onChange, onUploadingChange);

  const remove = () => {
    upload.reset();
    onChange('');
  };
  const { preview, progress, isWaiting, problem } = upload;
  return (
    <div role="group" aria-labelledby={labelId} className={styles['field']}>
      <p id={labelId} className={styles['label']}>
        {t('blog.cover')} <span>({t('ui.optional')})</span>
      </p>
      <div className={styles['frame']}>
        {preview !== null ? (
          <img src={preview} alt={t('blog.coverAlt')} />
        ) : value === '' ? (
          <span aria-hidden="true" className={styles['none']}>
            <ImageIcon size={1.6} />
          </span>
        ) : (
          <ReloadOnError key={value}>
            <Picture
              photo={photoOf(value, currentCover)}
              alt={t('blog.coverAlt')}
              sizes="(max-width: 47.99rem) 92vw, 44rem"
              ratio="16 / 9"
            />
          </ReloadOnError>
        )}
        {progress !== null && (
          <div className={styles['veil']}>
            <UploadProgress share={progress} label={t('blog.coverProgress')} />
          </div>
        )}
      </div>
      <p role="status" className={styles['hint']}>
        {isWaiting && t('blog.coverWaiting')}
      </p>
      <p className={styles['hint']}>{t('blog.coverHint')}</p>
      {(problem ?? error) !== null && (
        <ErrorBox message={problem ?? error ?? ''} onRetry={problem === null ? undefined : upload.retry} />
      )}
      <div className={layout['row3']}>
        <input
          ref={input}
          type="file"
          accept={PHOTO_CONTENT_TYPES.join(',')}
          hidden
          onChange={({ target }) => {
            const [file] = target.files ?? [];
            if (file) upload.start(file);
            // The value is cleared, so that the admin can choose the same file again.
            target.value = '';
          }}
        />
        {progress === null ? (
          <Button size="small" onClick={() => input.current?.click()}>
            {t(value === '' ? 'blog.coverChoose' : 'blog.coverReplace')}
          </Button>
        ) : (
          <Button size="small" onClick={upload.reset}>
            {t('common.cancel')}
          </Button>
        )}
        {value !== '' && progress === null && (
          <Button size="small" variant="quiet" onClick={remove}>
            {t('blog.coverRemove')}
          </Button>
        )}
      </div>
    </div>
  );
}

const RELOADS_MAX = 12;

/**
 * Loads a picture again after an error, because the server may still be processing the picture. The delay increases
 * with each attempt. After two minutes, there are no further attempts.
 */
function ReloadOnError({ children }: { readonly children: ReactNode }) {
  const [reloads, setReloads] = useState(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const scheduleReload = () => {
    clearTimeout(timer.current);
    if (reloads < RELOADS_MAX) timer.current = setTimeout(() => setReloads(reloads + 1), getPollDelay_ms(reloads));
  };
  return (
    <div key={reloads} onErrorCapture={scheduleReload}>
      {children}
    </div>
  );
}

/**
 * Returns the stored cover if its URL is `url`. Otherwise, returns a photo object that contains only the URL. Returns
 * null if `url` is not a photo URL.
 */
function photoOf(url: string, known: PhotoView | null): PhotoView | null {
  const id = parsePhotoUrl(url);
  if (id === null) return null;
  return known?.id === id
    ? known
    : { id, url, blur: null, status: 'ready', reason: null, hold: null, width: 0, height: 0 };
}

/**
 * Uploads one file at a time. The preview shows the local file during and after the upload. After a lost connection,
 * a file of 2 MB or more continues where it was interrupted. Smaller files are sent again.
 */
function useUpload(onUploaded: (url: string) => void, onBusy: (isBusy: boolean) => void) {
  const t = useText();
  const api = useApi();
  const { session } = useHost();
  const [file, setFile] = useState<File | null>(null);
  const [preview, setPreview] = useState<string | null>(null);
  const [progress, setProgress] = useState<number | null>(null);
  const [isWaiting, setWaiting] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const activeUpload = useRef<AbortController | null>(null);
  /** The id of an upload of `file` that can be resumed. */
  const uploadId = useRef<string | null>(null);

  useEffect(() => {
    if (preview !== null) return () => URL.revokeObjectURL(preview);
    return undefined;
  }, [preview]);
  useEffect(() => () => activeUpload.current?.abort(), []);
  const isUploading = progress !== null;
  useLeaveWarning(isUploading);

  function start(selected: File): void {
    activeUpload.current?.abort();
    const controller = new AbortController();
    activeUpload.current = controller;
    if (selected !== file) uploadId.current = null;
    setFile(selected);
    setPreview(URL.createObjectURL(selected));
    setProblem(null);
    setProgress(0);
    setWaiting(false);
    onBusy(true);
    void send(selected, controller);
  }

  async function send(selected: File, controller: AbortController): Promise<void> {
    try {
      const { urls } = await upload(selected, controller.signal);
      if (activeUpload.current !== controller) return;
      if (urls[0] !== undefined) onUploaded(urls[0]);
    } catch (error) {
      if (activeUpload.current !== controller || controller.signal.aborted) return;
      if (isPermanentError(error)) uploadId.current = null;
      setPreview(null);
      setProblem(messageOf(error, t('blog.coverFailed')));
    }
    setProgress(null);
    setWaiting(false);
    onBusy(false);
  }

  function upload(selected: File, signal: AbortSignal) {
    const uploads = createUploads(api, session.state === 'authenticated' ? session.token : '');
    let sent = 0;
    const show = (share: number, waits: boolean) => {
      if (signal.aborted) return;
      setProgress(share);
      setWaiting(waits);
    };
    const attempt = () =>
      uploads.photo(selected, {
        uploadId: uploadId.current,
        onUploadId(id) {
          if (!signal.aborted) uploadId.current = id;
        },
        onProgress(share) {
          sent = share;
          show(share, false);
        },
        signal,
      });
    return withRetries(attempt, {
      waits_ms: UPLOAD_RETRY_WAITS_ms,
      connectionWaits_ms: UPLOAD_CONNECTION_WAITS_ms,
      getProgress: () => sent,
      wait: (time_ms) => waitForConnection(time_ms, signal),
      onRetry: () => show(0, false),
      onDisconnected: () => show(sent, true),
    });
  }

  return {
    preview,
    progress,
    isWaiting,
    problem,
    start,
    retry: () => {
      if (file) start(file);
    },
    reset: () => {
      activeUpload.current?.abort();
      activeUpload.current = null;
      uploadId.current = null;
      setPreview(null);
      setProgress(null);
      setWaiting(false);
      setProblem(null);
      onBusy(false);
    },
  };
}
