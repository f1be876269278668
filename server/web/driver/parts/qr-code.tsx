import { useEffect, useState } from 'react';

interface QrCodeProps {
  readonly text: string;
  readonly label: string;
}

interface Drawn {
  readonly size: number;
  readonly path: string;
}

/** A code that a camera reads: black on white in every theme. */
export function QrCode({ text, label }: QrCodeProps) {
  const [drawn, setDrawn] = useState<Drawn>();
  useEffect(() => {
    let isOver = false;
    const draw = async (): Promise<void> => {
      const { encode } = await import('uqr');
      const { size, data } = encode(text, { border: 2, ecc: 'L' });
      const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
      if (!isOver) setDrawn({ size, path });
    };
    void draw();
    return () => void (isOver = true);
  }, [text]);
  if (!drawn) return <div className="qr" />;
  return (
    <svg
      className="qr"
      viewBox={`0 0 ${drawn.size} ${drawn.size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={drawn.size} height={drawn.size} fill="#fff" />
      <path d={drawn.path} fill="#000" />
    </svg>
  );
}
