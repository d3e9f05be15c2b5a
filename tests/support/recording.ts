import { randomUUID } from 'node:crypto';
import { media, recordPhotoVariants, recordVideoProbe, rejectMedia, uploadMedia, type MediaEvent, type MediaKind, type MediaState } from '@alpenglow/domain';
import { createCommandHandler, createDataKeys, createPool, createPostgresEventStore, loadSecrets, withPersonalData, type CommandHandler, type CommandOrigin } from '@alpenglow/infra';
import type { TestProduct } from './product.ts';

/** Records what a test finds already there, beside a product that runs: things of another time, or files without the work they take. */
export interface Recording {
  readonly commands: CommandHandler;
  /** A photo or video of an account that has its verdict; answers its id. */
  media(ownerId: string, kind: MediaKind, verdict?: 'ready' | 'rejected'): Promise<string>;
  close(): Promise<void>;
}

/** Where what a test records comes from. */
export const BY_TEST: CommandOrigin = { actor: { kind: 'system', name: 'test' }, correlationId: 'test' };

export async function openRecording({ databaseUrl, dataDir }: Pick<TestProduct, 'databaseUrl' | 'dataDir'>): Promise<Recording> {
  const pool = createPool({ connectionString: databaseUrl, max: 2, applicationName: 'test' });
  const { dataKeys } = await loadSecrets(dataDir);
  const store = withPersonalData(createPostgresEventStore({ pool, connectionString: databaseUrl }), createDataKeys(pool, dataKeys));
  const commands = createCommandHandler(store);
  return {
    commands,
    async media(ownerId, kind, verdict = 'ready') {
      const mediaId = randomUUID();
      await commands.handle(media, mediaId, (state) => uploadAndVerdict({ mediaId, ownerId, kind }, verdict, state), BY_TEST);
      return mediaId;
    },
    async close() {
      await store.close();
      await pool.end();
    },
  };
}

/** Both at once, so that no worker comes between. */
function uploadAndVerdict(upload: { readonly mediaId: string; readonly ownerId: string; readonly kind: MediaKind }, verdict: 'ready' | 'rejected', state: MediaState): readonly MediaEvent[] {
  const isPhoto = upload.kind === 'photo';
  const uploaded = uploadMedia({ ...upload, sizeBytes: 1, contentType: isPhoto ? 'image/jpeg' : 'video/mp4' }, state);
  const processing = uploaded.reduce<MediaState>((folded, event) => media.evolve(folded, event, ''), state);
  if (verdict === 'rejected') return [...uploaded, ...rejectMedia({ code: isPhoto ? 'NOT_AN_IMAGE' : 'NOT_A_VIDEO' }, processing)];
  const ready = isPhoto
    ? recordPhotoVariants({ width: 1600, height: 900, blur: 'data:', variants: [] }, processing)
    : recordVideoProbe({ duration_s: 12, width: 1280, height: 720, codec: 'h264', sizeBytes: 1 }, processing);
  return [...uploaded, ...ready];
}
