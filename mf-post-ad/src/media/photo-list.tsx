import { useEffect, useRef, useState } from 'react';
import { MAX_PHOTOS } from '@alpenglow/domain/contracts';
import {
  ArrowLeftIcon,
  ArrowRightIcon,
  Badge,
  Button,
  classNames,
  IconButton,
  ImageIcon,
  Picture,
  TrashIcon,
} from '@alpenglow/ui';
import { useText } from '../text.ts';
import {
  findCover,
  findSmallSize,
  getPhoto,
  isHiddenByModeration,
  isPending,
  isRejected,
  type MediaItem,
} from './media-item.ts';
import type { MediaQueue } from './media-queue.ts';
import { UploadError, UploadOverlay } from './upload-state.tsx';
import styles from './media.module.css';

type Tool = 'earlier' | 'remove' | 'later';

export interface PhotoListProps {
  readonly photos: readonly MediaItem[];
  readonly queue: MediaQueue;
  readonly onOrdering: (isOrdering: boolean) => void;
}

/** The photos in the order of the ad. Visitors can reorder the photos by dragging them or with buttons. */
export function PhotoList({ photos, queue, onOrdering }: PhotoListProps) {
  const t = useText();
  const [dragged, setDragged] = useState<string | null>(null);
  const [target, setTarget] = useState<string | null>(null);
  const cover = findCover(photos);
  const list = useRef<HTMLOListElement>(null);
  const lastUsed = useRef<{ readonly key: string; readonly tool: Tool } | null>(null);

  const drag = (key: string | null) => {
    setDragged(key);
    setTarget(null);
    onOrdering(key !== null);
  };
  // A button loses the focus when its photo moves or is removed. The focus returns to this button, or to the next
  // enabled button.
  useEffect(() => {
    const { key, tool } = lastUsed.current ?? {};
    lastUsed.current = null;
    if (key === undefined) return;
    const buttons = [
      ...(list.current?.querySelectorAll<HTMLButtonElement>(`[data-photo="${CSS.escape(key)}"] button[data-tool]`) ??
        []),
    ].filter(({ disabled }) => !disabled);
    (buttons.find(({ dataset }) => dataset['tool'] === tool) ?? buttons[0])?.focus();
  }, [photos]);

  function applyTool(tool: Tool, index: number) {
    const { key } = photos[index] ?? {};
    if (key === undefined) return;
    lastUsed.current = { key: tool === 'remove' ? ((photos[index + 1] ?? photos[index - 1])?.key ?? '') : key, tool };
    if (tool === 'remove') queue.remove(key);
    else queue.moveTo(key, tool === 'earlier' ? index - 1 : index + 1);
  }

  return (
    <ol ref={list} role="list" className={styles['photos']} aria-label={t('chosenPhotos')}>
      {photos.map((item, index) => (
        <li
          key={item.key}
          data-photo={item.key}
          className={classNames(styles['photo'], target === item.key && dragged !== item.key && styles['target'])}
          draggable={photos.length > 1}
          onDragStart={() => drag(item.key)}
          onDragEnd={() => drag(null)}
          onDragOver={(event) => {
            if (dragged === null) return;
            event.preventDefault();
            setTarget(item.key);
          }}
          onDrop={(event) => {
            if (dragged === null) return;
            event.preventDefault();
            queue.moveTo(dragged, index);
          }}
        >
          <PhotoTile
            item={item}
            number={index + 1}
            count={photos.length}
            isCover={item === cover}
            queue={queue}
            onTool={(tool) => applyTool(tool, index)}
          />
        </li>
      ))}
    </ol>
  );
}

interface PhotoTileProps {
  readonly item: MediaItem;
  readonly number: number;
  readonly count: number;
  readonly isCover: boolean;
  readonly queue: MediaQueue;
  readonly onTool: (tool: Tool) => void;
}

function PhotoTile({ item, number, count, isCover, queue, onTool }: PhotoTileProps) {
  const t = useText();
  // A preview that the browser cannot show, such as a damaged file.
  const [brokenPreview, setBrokenPreview] = useState<string | null>(null);
  const smallSize = findSmallSize(item);
  const alt = item.isExisting ? t('photoNumber', { number }) : item.name;
  return (
    <>
      <div className={styles['frame']}>
        {isRejected(item) || (item.preview !== null && item.preview === brokenPreview) ? (
          <span role="img" aria-label={alt} className={styles['noPicture']}>
            <ImageIcon size={1.6} />
          </span>
        ) : item.preview !== null ? (
          <img src={item.preview} alt={alt} draggable={false} onError={() => setBrokenPreview(item.preview)} />
        ) : (
          <Picture photo={getPhoto(item)} alt={alt} sizes="10rem" />
        )}
        <span className={styles['marks']}>
          {isCover && <Badge tone="accent">{t('cover')}</Badge>}
          {item.isExisting && <Badge>{t('existing')}</Badge>}
          {isHiddenByModeration(item) && <Badge tone="danger">{t('heldMark')}</Badge>}
        </span>
        {isPending(item) && (
          <UploadOverlay
            item={item}
            progressLabel={t('uploadProgress', { number })}
            cancelLabel={t('cancelPhoto', { number })}
            onCancel={() => queue.cancel(item.key)}
          />
        )}
      </div>
      <div className={styles['tools']}>
        <IconButton
          data-tool="earlier"
          label={t('movePhotoUp', { number })}
          disabled={number === 1}
          onClick={() => onTool('earlier')}
        >
          <ArrowLeftIcon />
        </IconButton>
        <IconButton data-tool="remove" label={t('removePhoto', { number })} onClick={() => onTool('remove')}>
          <TrashIcon />
        </IconButton>
        <IconButton
          data-tool="later"
          label={t('movePhotoDown', { number })}
          disabled={number === count || number === MAX_PHOTOS}
          onClick={() => onTool('later')}
        >
          <ArrowRightIcon />
        </IconButton>
      </div>
      {isHiddenByModeration(item) && <p>{t('heldPhoto')}</p>}
      {smallSize && <p role="status">{t('photoSmall', smallSize)}</p>}
      <UploadError item={item} retryLabel={t('retryPhoto', { number })} onRetry={() => queue.retry(item.key)} />
      {isRejected(item) && (
        <Button size="small" aria-label={t('removePhoto', { number })} onClick={() => onTool('remove')}>
          {t('remove')}
        </Button>
      )}
    </>
  );
}
