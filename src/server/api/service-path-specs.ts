/** The paths about the service itself and its markets. */
import { journalParams } from './journal-schemas.js';
import type { PathSpec } from './path-spec.js';

/** Each by its name, without prefixes. */
export const servicePathSpecs = {
  '/markets': {
    summary: 'The markets that are served',
    kind: 'service',
    body: 'Markets',
    tagged: false,
    errors: ['NOT_READY'],
  },
  '/health': {
    summary: 'Whether the process runs',
    kind: 'service',
    body: 'Health',
    tagged: false,
    unlimited: true,
    errors: [],
  },
  '/ready': {
    summary: 'Whether the book is live',
    kind: 'service',
    body: 'Ready',
    tagged: false,
    unlimited: true,
    errors: ['NOT_READY'],
  },
  '/status': {
    summary: 'The state of the feed and of every market',
    kind: 'service',
    body: 'Status',
    tagged: false,
    errors: [],
  },
  '/journal': {
    summary: 'What the journal keeps: ranges of moments, the gaps between them, and its files',
    kind: 'service',
    params: journalParams,
    body: 'Journal',
    tagged: false,
    errors: ['INVALID_PARAM'],
  },
  '/metrics': {
    summary: 'Metrics for Prometheus',
    kind: 'service',
    body: { contentType: 'text/plain' },
    tagged: false,
    errors: [],
  },
  '/version': {
    summary: 'The build, and the versions that it runs on',
    kind: 'service',
    body: 'Version',
    tagged: false,
    errors: [],
  },
  '/openapi.json': {
    summary: 'This description',
    kind: 'service',
    body: 'ApiDescription',
    tagged: false,
    errors: [],
  },
  '/asyncapi.json': {
    summary: 'The channels of the WebSockets, as AsyncAPI 3.0',
    kind: 'service',
    body: 'ChannelsDescription',
    tagged: false,
    errors: [],
  },
  '/docs': {
    summary: 'This description as a page',
    kind: 'service',
    body: { contentType: 'text/html' },
    files: ['init.js', 'page.css', 'swagger-ui-bundle.js', 'swagger-ui.css'],
    tagged: true,
    errors: [],
  },
  '/': {
    summary: 'Name, version and the list of paths; the page for clients that prefer HTML',
    kind: 'service',
    body: 'Index',
    tagged: false,
    errors: [],
  },
} as const satisfies Readonly<Record<string, PathSpec>>;
