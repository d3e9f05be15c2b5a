import { useState } from 'react';
import { Button, messageOf, saveFile, useHost } from '@alpenglow/ui';
import { useText } from '../text.ts';

const FORMATS = ['json', 'csv'] as const;
type Format = (typeof FORMATS)[number];

export interface ExportButtonsProps {
  readonly isDisabled?: boolean;
  readonly download: (format: Format) => Promise<File>;
}

/** Buttons that download the shown data as a JSON or CSV file. */
export function ExportButtons({ isDisabled = false, download }: ExportButtonsProps) {
  const t = useText();
  const { notify } = useHost();
  const [busy, setBusy] = useState<Format | null>(null);
  const save = async (format: Format) => {
    setBusy(format);
    try {
      saveFile(await download(format));
    } catch (error) {
      notify({ tone: 'danger', text: messageOf(error, t('export.failed')) });
    } finally {
      setBusy(null);
    }
  };
  return FORMATS.map((format) => (
    <Button key={format} size="small" disabled={isDisabled} busy={busy === format} onClick={() => void save(format)}>
      {t('export.saveAs', { format: format.toUpperCase() })}
    </Button>
  ));
}
