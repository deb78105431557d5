import './app.css';
import { mount } from 'svelte';
import App from './view/App.svelte';

const target = document.querySelector('#app');
if (target === null) throw new Error('Invariant: index.html has #app');
mount(App, { target });
