import { useState, useSyncExternalStore } from 'react';
import { useDropzone } from 'react-dropzone';
import { MAX_PHOTOS } from '@alpenglow/domain/contracts';
import { ArrowLeftIcon, ArrowRightIcon, Badge, Button, classNames, fill, IconButton, ImageIcon, Picture, postAdMessages as text, commonMessages, TrashIcon } from '@alpenglow/ui';
import type { PhotoItem, PhotoQueue } from './photo-queue.ts';
import styles from './photo-picker.module.css';

/** Chooses, shows, orders and removes photos. Whatever can be dragged has buttons that do the same. */
export function PhotoPicker({ queue }: { readonly queue: PhotoQueue }) {
  const { items, status } = useSyncExternalStore(queue.subscribe, queue.state);
  const [dragged, setDragged] = useState<string | null>(null);
  const [target, setTarget] = useState<string | null>(null);
  const { getRootProps, getInputProps, open, isDragActive } = useDropzone({
    accept: { 'image/*': [] },
    noClick: true,
    noKeyboard: true,
    // Ordering drags photos over this same place; only files are for the picker.
    noDrag: dragged !== null,
    onDrop: (accepted, refused) => queue.add([...accepted, ...refused.map(({ file }) => file)]),
  });

  return (
    <div className={styles['picker']}>
      <div {...getRootProps({ className: classNames(styles['drop'], isDragActive && styles['over']) })}>
        <input {...getInputProps({ 'aria-label': text.photos })} />
        <ImageIcon size={1.5} />
        <Button onClick={open}>{text.choosePhotos}</Button>
        <span>{isDragActive ? text.dropNow : text.dropPhotos}</span>
      </div>
      <p role="status" className={styles['status']}>
        {status ?? (items.length === 0 ? text.photosNone : '')}
      </p>
      {items.length > 0 && (
        <ol role="list" className={styles['photos']} aria-label={text.chosenPhotos}>
          {items.map((item, index) => (
            <li
              key={item.key}
              className={classNames(styles['photo'], target === item.key && dragged !== item.key && styles['target'])}
              draggable={items.length > 1}
              onDragStart={() => setDragged(item.key)}
              onDragEnd={() => {
                setDragged(null);
                setTarget(null);
              }}
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
              <PhotoTile item={item} number={index + 1} count={items.length} queue={queue} />
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

interface PhotoTileProps {
  readonly item: PhotoItem;
  /** From 1. */
  readonly number: number;
  readonly count: number;
  readonly queue: PhotoQueue;
}

function PhotoTile({ item, number, count, queue }: PhotoTileProps) {
  return (
    <>
      <div className={styles['frame']}>
        {item.preview !== null ? <img src={item.preview} alt={item.name} draggable={false} /> : <Picture photo={item.photo} alt={item.name} sizes="10rem" />}
        <span className={styles['marks']}>
          {number === 1 && <Badge tone="accent">{text.cover}</Badge>}
          {item.isExisting && <Badge>{text.existing}</Badge>}
        </span>
        {(item.state === 'uploading' || item.state === 'waiting') && (
          <span className={styles['veil']}>
            {item.state === 'waiting' ? text.waiting : <progress value={item.progress} max={1} aria-label={fill(text.uploadProgress, { number })} />}
          </span>
        )}
      </div>
      <div className={styles['tools']}>
        <IconButton label={fill(text.movePhotoUp, { number })} disabled={number === 1} onClick={() => queue.moveTo(item.key, number - 2)}>
          <ArrowLeftIcon />
        </IconButton>
        <IconButton label={fill(text.removePhoto, { number })} onClick={() => queue.remove(item.key)}>
          <TrashIcon />
        </IconButton>
        <IconButton label={fill(text.movePhotoDown, { number })} disabled={number === count || number === MAX_PHOTOS} onClick={() => queue.moveTo(item.key, number)}>
          <ArrowRightIcon />
        </IconButton>
      </div>
      {item.problem !== null && (
        <>
          <p className={styles['problem']}>{item.problem}</p>
          <Button size="small" aria-label={fill(text.retryPhoto, { number })} onClick={() => queue.retry(item.key)}>
            {commonMessages.retry}
          </Button>
        </>
      )}
    </>
  );
}
