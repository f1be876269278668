// In pages of `npm run dev` alone: reloads the page after a build. It asks for the page's ETag, because the policy allows
// no other server, and a restarting server is simply asked again.

const everyMs = 1_000;
let current: string | null = null;

async function look(): Promise<void> {
  if (document.hidden) return;
  const response = await fetch('./', { method: 'HEAD', cache: 'no-store' }).catch(() => undefined);
  const etag = response?.headers.get('etag') ?? null;
  if (current !== null && etag !== null && etag !== current) location.reload();
  current = etag ?? current;
}

setInterval(() => void look(), everyMs);
