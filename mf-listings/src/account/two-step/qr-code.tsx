import { encode } from 'uqr';
import styles from './two-step.module.css';

/**
 * Width of the empty border around the QR code, in modules (squares of the code). Cameras need the border to detect the
 * code.
 */
const BORDER = 4;

/** A QR code. It is dark on light in all themes, because many cameras do not recognize a light code on dark. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { size, data } = encode(text, { ecc: 'M', border: BORDER });
  const squares = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')));
  return (
    <svg
      role="img"
      aria-label={label}
      className={styles['qr']}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
    >
      <path d={squares.join('')} />
    </svg>
  );
}
