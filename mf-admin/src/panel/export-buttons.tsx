import { useState } from 'react';
import { Button, messageOf, saveFile, useHost } from '@alpenglow/ui';

const FORMATS = ['json', 'csv'] as const;
type Format = (typeof FORMATS)[number];

export interface ExportButtonsProps {
  readonly labelOf: (format: string) => string;
  readonly isDisabled?: boolean;
  readonly download: (format: Format) => Promise<File>;
  readonly failedText: string;
}

/** Saves what is shown as a file, for people and for programs. */
export function ExportButtons({ labelOf, isDisabled = false, download, failedText }: ExportButtonsProps) {
  const { notify } = useHost();
  const [busy, setBusy] = useState<Format | null>(null);
  const save = async (format: Format) => {
    setBusy(format);
    try {
      saveFile(await download(format));
    } catch (error) {
      notify({ tone: 'danger', text: messageOf(error, failedText) });
    } finally {
      setBusy(null);
    }
  };
  return FORMATS.map((format) => (
    <Button key={format} size="small" disabled={isDisabled} busy={busy === format} onClick={() => void save(format)}>
      {labelOf(format.toUpperCase())}
    </Button>
  ));
}
