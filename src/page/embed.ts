import './app.css';
import { mount } from 'svelte';
import Embed from './view/Embed.svelte';

const target = document.querySelector('#app');
if (target === null) throw new Error('Invariant: the pages of embed have #app');
// The last part of the path names the panel, like the files in the folder embed.
const panel = location.pathname.split('/').at(-1) ?? '';
mount(Embed, { target, props: { panel } });
