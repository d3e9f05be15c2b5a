import { readFile } from 'node:fs/promises';
import { listFile } from './data-folder.ts';
import type { MadeData } from './make-data.ts';
import type { LogState, ReadData } from './read-data.ts';

/** The content of a packed data folder, as the build that wrote it returned it. */
export interface FolderContent {
  readonly commit: string;
  /** The time of the commit in ISO 8601. */
  readonly committedAt: string;
  /** The time at which the product was stopped, in ISO 8601. */
  readonly stoppedAt: string;
  readonly made: MadeData;
  readonly data: ReadData;
  /** The ids of all ads that the public list contained. */
  readonly publicAds: readonly string[];
  /** The photo whose job was interrupted, and the e-mail address of its owner. */
  readonly interrupted: { readonly mediaId: string; readonly email: string };
  readonly log: LogState;
}

export async function readContent(name: string): Promise<FolderContent> {
  return JSON.parse(await readFile(listFile(name), 'utf8')) as FolderContent;
}
