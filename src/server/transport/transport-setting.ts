/**
 * The transport's one setting that it takes from the environment, and only while it is loaded: this
 * file must be imported before it.
 */
import { LIMITS } from '../../config/limits.js';

// By default a request that arrives in several packets may have 4 KiB, and one that arrives in a
// single packet 512 KiB: the same request would be answered or not as the network cut it.
process.env['UWS_HTTP_MAX_HEADERS_SIZE'] = String(LIMITS.requestHeadBytesMax);
