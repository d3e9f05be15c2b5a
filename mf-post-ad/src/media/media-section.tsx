import { useRef, useState, useSyncExternalStore } from 'react';
import { useDropzone } from 'react-dropzone';
import { MAX_PHOTOS, MAX_VIDEO_s } from '@alpenglow/domain/contracts';
import { Button, classNames, ImageIcon, layout, PrivateMedia } from '@alpenglow/ui';
import { Section } from '../form/section.tsx';
import { useText } from '../text.ts';
import { ACCEPTED_PHOTOS, ACCEPTED_VIDEOS } from './media-file.ts';
import type { MediaQueue } from './media-queue.ts';
import { PhotoList } from './photo-list.tsx';
import { usePastedFiles } from './use-pasted-files.ts';
import { VideoTile } from './video-tile.tsx';
import styles from './media.module.css';

/** The section of the form for photos and the video. Files can be selected, dropped or pasted. */
export function MediaSection({ queue }: { readonly queue: MediaQueue }) {
  const t = useText();
  const { photos, video, status, rejection } = useSyncExternalStore(queue.subscribe, queue.state);
  const videoInput = useRef<HTMLInputElement>(null);
  const [isOrdering, setOrdering] = useState(false);
  const { getRootProps, getInputProps, open, isDragActive } = useDropzone({
    accept: ACCEPTED_PHOTOS,
    noClick: true,
    noKeyboard: true,
    // Disables dropping files while the visitor drags a photo to reorder the photos.
    noDrag: isOrdering,
    // Accepted and rejected files are both added, because the queue itself validates files and shows errors.
    onDrop: (accepted, rejected) => queue.add([...accepted, ...rejected.map(({ file }) => file)]),
  });
  usePastedFiles((files) => queue.add(files));

  return (
    <Section title={t('media')} lead={t('mediaText', { max: MAX_PHOTOS, seconds: MAX_VIDEO_s })}>
      <div className={layout['stack4']}>
        <div {...getRootProps({ className: classNames(styles['drop'], isDragActive && styles['over']) })}>
          <input {...getInputProps({ 'aria-label': t('choosePhotos') })} />
          <input
            ref={videoInput}
            type="file"
            accept={ACCEPTED_VIDEOS}
            hidden
            aria-label={t('chooseVideo')}
            onChange={({ target }) => {
              queue.add([...(target.files ?? [])], 'video');
              // Clears the value of the file field, so that the same file can be selected again.
              target.value = '';
            }}
          />
          <ImageIcon size={1.5} />
          <div className={styles['buttons']}>
            <Button onClick={open}>{t('choosePhotos')}</Button>
            <Button onClick={() => videoInput.current?.click()}>{t('chooseVideo')}</Button>
          </div>
          <span>{t(isDragActive ? 'dropNow' : 'dropOrPaste')}</span>
        </div>
        <div>
          <p role="status" className={styles['problem']}>
            {rejection}
          </p>
          <p role="status" className={styles['status']}>
            {status ?? (photos.length === 0 ? t('photosNone') : '')}
          </p>
        </div>
        {/* Until an ad shows an uploaded file, only the owner can load the file. */}
        <PrivateMedia>
          {photos.length > 0 && <PhotoList photos={photos} queue={queue} onOrdering={setOrdering} />}
          {video && <VideoTile key={video.key} item={video} queue={queue} />}
        </PrivateMedia>
      </div>
    </Section>
  );
}
