import { useEffect, useEffectEvent, useState } from 'react';

const TYPING_PAUSE_ms = 250;

/** The text of a field. `reported` contains texts that were passed to `onTyped` but are not the value yet. */
export interface TypedText {
  readonly text: string;
  readonly reported: readonly string[];
}

/**
 * Returns the state of the field after its value has changed. If the field has reported this value, the text stays
 * unchanged, because the visitor may have typed more. Any other value replaces the text, for example after Back.
 */
export function applyValue({ text, reported }: TypedText, value: string): TypedText {
  const index = reported.lastIndexOf(value);
  if (index >= 0) return { text, reported: reported.slice(index + 1) };
  return { text: text.trim() === value ? text : value, reported: [] };
}

/** Stores the typed text and calls `onTyped` after a pause. A new `value` from elsewhere replaces the text. */
export function useTypedText(value: string, onTyped: (text: string) => void, pause_ms = TYPING_PAUSE_ms) {
  const [field, setField] = useState<TypedText>({ text: value, reported: [] });
  const [followed, setFollowed] = useState(value);
  if (followed !== value) {
    setFollowed(value);
    setField(applyValue(field, value));
  }
  /** Calls `onTyped` immediately, for example when the visitor presses Enter. */
  const finish = () => {
    const text = field.text.trim();
    if (text === (field.reported.at(-1) ?? value)) return;
    setField({ ...field, reported: [...field.reported, text] });
    onTyped(text);
  };
  const onPause = useEffectEvent(finish);
  useEffect(() => {
    const timer = setTimeout(() => onPause(), pause_ms);
    return () => clearTimeout(timer);
  }, [field.text, pause_ms]);
  return { text: field.text, type: (text: string) => setField((current) => ({ ...current, text })), finish };
}
