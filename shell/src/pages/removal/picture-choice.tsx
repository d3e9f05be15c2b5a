import { REMOVAL_LINKS_MAX } from '@alpenglow/domain/contracts';
import { Button, classNames, CloseIcon, ErrorBox, FieldError, IconButton, layout } from '@alpenglow/ui';
import { useEffect, useId, useRef, useState } from 'react';
import { useText } from './text.ts';
import type { HashError } from './hash-picture.ts';
import styles from './removal.module.css';

/** A picture that the person has chosen. Only its hash is sent. */
export interface ChosenPicture {
  readonly name: string;
  readonly hash: string;
}

/** A larger file could use up the memory of a phone. */
const PICTURE_MAX_MB = 50;
const MB_bytes = 1_000_000;
/** The maximum number of pixels, in millions. Each takes four bytes when the browser decodes a picture. */
const PICTURE_MAX_megapixels = 100;
const MEGAPIXEL_px = 1_000_000;

type Problem = HashError | 'tooMany' | 'notLoaded';

interface PictureChoiceProps {
  readonly pictures: readonly ChosenPicture[];
  readonly onChange: (pictures: readonly ChosenPicture[]) => void;
  /** Called when the reading of pictures begins or ends. The form is not sent meanwhile. */
  readonly onReadingChange: (isReading: boolean) => void;
  /** The error of the server about the hashes. */
  readonly error: string | undefined;
}

/**
 * The part of the form in which a person chooses pictures. The browser computes their hashes, and sends no
 * picture. The code for this is loaded with the first picture.
 */
export function PictureChoice({ pictures, onChange, onReadingChange, error }: PictureChoiceProps) {
  const t = useText();
  const labelId = useId();
  const hintId = useId();
  const errorId = useId();
  const input = useRef<HTMLInputElement>(null);
  const chooseButton = useRef<HTMLButtonElement>(null);
  const { readCount, problems, add, forget } = useHashing(pictures, onChange, onReadingChange);

  // The buttons stay enabled, because a disabled button would lose the focus.
  const isReading = readCount > 0;
  const remove = (removed: ChosenPicture) => {
    if (isReading) return;
    forget();
    onChange(pictures.filter((picture) => picture !== removed));
    // The button that was pressed no longer exists.
    chooseButton.current?.focus();
  };
  return (
    <div role="group" aria-labelledby={labelId} aria-describedby={hintId} className={layout['stack2']}>
      <p id={labelId} className={styles['label']}>
        {t('removal.pictures')}
      </p>
      <p id={hintId} className={layout['hint']}>
        {t('removal.picturesHint', { max: REMOVAL_LINKS_MAX, size: PICTURE_MAX_MB })}
      </p>
      {pictures.length > 0 && (
        <ul role="list" aria-labelledby={labelId} className={classNames(layout['stack1'], styles['pictures'])}>
          {pictures.map((picture, index) => {
            const name = distinctName(pictures, index);
            return (
              <li key={picture.hash}>
                <span dir="auto">{name}</span>
                <IconButton
                  label={t('removal.pictureRemove', { name })}
                  aria-disabled={isReading || undefined}
                  onClick={() => remove(picture)}
                >
                  <CloseIcon />
                </IconButton>
              </li>
            );
          })}
        </ul>
      )}
      {problems.map(({ name, problem }, index) => (
        <ErrorBox
          // Several files can have the same name and the same problem.
          key={`${index} ${name} ${problem}`}
          message={t(`removal.pictureError.${problem}`, {
            name,
            max: REMOVAL_LINKS_MAX,
            size: PICTURE_MAX_MB,
            megapixels: PICTURE_MAX_megapixels,
          })}
        />
      ))}
      <FieldError id={errorId} error={error} />
      <p role="status" className={layout['hint']}>
        {isReading
          ? t('removal.picturesReading', { count: readCount })
          : pictures.length > 0 && t('removal.picturesChosen', { count: pictures.length })}
      </p>
      <div>
        <input
          ref={input}
          type="file"
          accept="image/*"
          multiple
          hidden
          onChange={({ target }) => {
            add([...(target.files ?? [])]);
            // The value is cleared, so that the same file can be chosen again.
            target.value = '';
          }}
        />
        <Button
          ref={chooseButton}
          aria-disabled={isReading || undefined}
          aria-invalid={error === undefined ? undefined : true}
          aria-describedby={error === undefined ? undefined : errorId}
          onClick={() => {
            if (!isReading) input.current?.click();
          }}
        >
          {t('removal.picturesChoose')}
        </Button>
      </div>
    </div>
  );
}

/** Returns the name of a picture, with a number if several have the same name. */
function distinctName(pictures: readonly ChosenPicture[], index: number): string {
  const name = pictures[index]?.name ?? '';
  const isEqual = (picture: ChosenPicture) => picture.name === name;
  const number = pictures.slice(0, index + 1).filter(isEqual).length;
  return pictures.filter(isEqual).length === 1 ? name : `${name} (${number})`;
}

interface NamedProblem {
  readonly name: string;
  readonly problem: Problem;
}

/** Computes the hashes of added files, one after the other. `readCount` files are still to be read. */
function useHashing(
  pictures: readonly ChosenPicture[],
  onChange: (pictures: readonly ChosenPicture[]) => void,
  onReadingChange: (isReading: boolean) => void,
) {
  const [readCount, setReadCount] = useState(0);
  const [problems, setProblems] = useState<readonly NamedProblem[]>([]);
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => void (isGone.current = true);
  }, []);

  async function read(files: readonly File[]): Promise<void> {
    const found: NamedProblem[] = [];
    let chosen = pictures;
    for (const [index, file] of files.entries()) {
      if (isGone.current) return;
      setReadCount(files.length - index);
      const { name } = file;
      if (chosen.length >= REMOVAL_LINKS_MAX) {
        found.push({ name, problem: 'tooMany' });
        break;
      }
      const result = file.size > PICTURE_MAX_MB * MB_bytes ? ({ problem: 'tooLarge' } as const) : await hashOf(file);
      if ('problem' in result) found.push({ name, problem: result.problem });
      else if (!chosen.some(({ hash }) => hash === result.hash)) chosen = [...chosen, { name, hash: result.hash }];
      if (isGone.current) return;
      onChange(chosen);
      if ('problem' in result && result.problem === 'notLoaded') break;
    }
    setReadCount(0);
    setProblems(found);
    onReadingChange(false);
  }

  return {
    readCount,
    problems,
    add(files: readonly File[]): void {
      if (files.length === 0 || readCount > 0) return;
      setProblems([]);
      setReadCount(files.length);
      onReadingChange(true);
      void read(files);
    },
    forget: () => setProblems([]),
  };
}

async function hashOf(file: File): Promise<{ readonly hash: string } | { readonly problem: Problem }> {
  // Without this code, the links of the form still work.
  const code = await import(/* webpackChunkName: "removal-pictures" */ './hash-picture.ts').catch(() => null);
  if (code === null) return { problem: 'notLoaded' };
  try {
    const result = await code.hashPicture(file, PICTURE_MAX_megapixels * MEGAPIXEL_px);
    return 'hash' in result ? result : { problem: result.error };
  } catch {
    return { problem: 'unreadable' };
  }
}
