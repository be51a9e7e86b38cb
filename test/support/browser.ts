import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];

/** A browser of the machine: `CHROMIUM_PATH`, or where Debian and others put it. */
export const browserPath = process.env.CHROMIUM_PATH ?? places.find((place) => existsSync(place));

/** Said where a browser test cannot run. */
export const browserMissing =
  'The browser tests need chromium: install it (Debian: apt-get install chromium) or set CHROMIUM_PATH.';

/** Starts the browser without anything that would leave the machine. */
export function launchBrowser(): Promise<Browser> {
  if (browserPath === undefined) throw new Error(browserMissing);
  return chromium.launch({
    executablePath: browserPath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
