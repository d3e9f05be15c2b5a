import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { mediaIdOf, type PhotoView } from '@alpenglow/domain/contracts';
import { Button, ErrorBox, ImageIcon, messageOf, Picture, useApi, useLocale } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { nextLook_ms } from './calls.ts';
import { askBeforeLeaving } from './ask-before-leaving.ts';
import styles from './cover-field.module.css';

export interface CoverFieldProps {
  /** The address of the cover; empty: none. */
  readonly value: string;
  /** The cover as the server knows it, where it is the article's own. */
  readonly known: PhotoView | null;
  readonly error: string | null;
  readonly onChange: (url: string) => void;
  /** Whether a picture is on its way: until it has come, the article cannot be saved with it. */
  readonly onBusy: (isBusy: boolean) => void;
}

/** The picture of an article: chosen, sent with its progress shown, seen, taken away. */
export function CoverField({ value, known, error, onChange, onBusy }: CoverFieldProps) {
  const t = useText();
  const labelId = useId();
  const input = useRef<HTMLInputElement>(null);
  const upload = useUpload(onChange, onBusy);
  const percent = new Intl.NumberFormat(useLocale(), { style: 'percent' });

  const remove = () => {
    upload.forget();
    onChange('');
  };
  const { preview, progress, problem } = upload;
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
          <LookedAtAgain key={value}>
            <Picture
              photo={photoOf(value, known)}
              alt={t('blog.coverAlt')}
              sizes="(width < 48rem) 92vw, 44rem"
              ratio="16 / 9"
            />
          </LookedAtAgain>
        )}
        {progress !== null && (
          <div className={styles['veil']}>
            <progress value={progress} max={1} aria-label={t('blog.coverProgress')} />
            <span>{percent.format(progress)}</span>
          </div>
        )}
      </div>
      <p className={styles['hint']}>{t('blog.coverHint')}</p>
      {(problem ?? error) !== null && (
        <ErrorBox message={problem ?? error ?? ''} onRetry={problem === null ? undefined : upload.retry} />
      )}
      <div className={styles['actions']}>
        <input
          ref={input}
          type="file"
          accept="image/*"
          hidden
          onChange={({ target }) => {
            const [file] = target.files ?? [];
            if (file) upload.start(file);
            // The same file can be chosen again.
            target.value = '';
          }}
        />
        {progress === null ? (
          <Button size="small" onClick={() => input.current?.click()}>
            {t(value === '' ? 'blog.coverChoose' : 'blog.coverReplace')}
          </Button>
        ) : (
          <Button size="small" onClick={upload.forget}>
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

const LOOKS_MAX = 12;

/** A picture that did not come may still be in the making: it is asked for again, ever more seldom, for two minutes. */
function LookedAtAgain({ children }: { readonly children: ReactNode }) {
  const [looks, setLooks] = useState(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const lookAgain = () => {
    clearTimeout(timer.current);
    if (looks < LOOKS_MAX) timer.current = setTimeout(() => setLooks(looks + 1), nextLook_ms(looks));
  };
  return (
    <div key={looks} onErrorCapture={lookAgain}>
      {children}
    </div>
  );
}

/** A cover of which only the address is known is shown by its address. */
function photoOf(url: string, known: PhotoView | null): PhotoView | null {
  const id = mediaIdOf(url);
  if (id === null) return null;
  return known?.id === id ? known : { id, url, blur: null, status: 'ready', reason: null, width: 0, height: 0 };
}

/** Sends one file at a time. While it is on its way, and afterwards, the file itself is what is seen. */
function useUpload(onSent: (url: string) => void, onBusy: (isBusy: boolean) => void) {
  const t = useText();
  const api = useApi();
  const [file, setFile] = useState<File | null>(null);
  const [preview, setPreview] = useState<string | null>(null);
  const [progress, setProgress] = useState<number | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const sender = useRef<AbortController | null>(null);

  useEffect(() => {
    if (preview !== null) return () => URL.revokeObjectURL(preview);
    return undefined;
  }, [preview]);
  useEffect(() => () => sender.current?.abort(), []);
  const isUnderWay = progress !== null;
  useEffect(() => (isUnderWay ? askBeforeLeaving() : undefined), [isUnderWay]);

  function start(chosen: File): void {
    sender.current?.abort();
    const controller = new AbortController();
    sender.current = controller;
    setFile(chosen);
    setPreview(URL.createObjectURL(chosen));
    setProblem(null);
    setProgress(0);
    onBusy(true);
    void send(chosen, controller);
  }

  async function send(chosen: File, controller: AbortController): Promise<void> {
    try {
      const { urls } = await api.uploadPhotos(chosen, { onProgress: setProgress, signal: controller.signal });
      if (sender.current !== controller) return;
      if (urls[0] !== undefined) onSent(urls[0]);
    } catch (error) {
      if (sender.current !== controller || controller.signal.aborted) return;
      setPreview(null);
      setProblem(messageOf(error, t('blog.coverFailed')));
    }
    setProgress(null);
    onBusy(false);
  }

  return {
    preview,
    progress,
    problem,
    start,
    retry: () => {
      if (file) start(file);
    },
    forget: () => {
      sender.current?.abort();
      sender.current = null;
      setPreview(null);
      setProgress(null);
      setProblem(null);
      onBusy(false);
    },
  };
}
